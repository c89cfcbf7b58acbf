"""Framed messages over a Unix stream socket, descriptors included.

Trusted sides write pickles; what comes back from a candidate's process is only ever parsed as JSON.
"""
from __future__ import annotations

import array
import json
import pickle
import socket
import struct
import time

LARGEST = 64 << 20
MOST_DESCRIPTORS = 16


class Closed(Exception):
    """The other side is gone."""


class Late(Exception):
    """Nothing came within the limit."""


class Channel:
    def __init__(self, sock: socket.socket):
        self.socket = sock
        self.descriptors: list[int] = []

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()
        self.descriptors.clear()

    def send_pickle(self, value, descriptors=(), limit: float | None = None) -> None:
        self._send(pickle.dumps(value), descriptors, limit)

    def receive_pickle(self, limit: float | None = None):
        return pickle.loads(self._receive(limit))

    def send_json(self, value, limit: float | None = None) -> None:
        self._send(json.dumps(value).encode(), (), limit)

    def receive_json(self, limit: float | None = None):
        """Raises ValueError where the bytes are no JSON."""
        return json.loads(self._receive(limit))

    def take_descriptors(self) -> list[int]:
        taken, self.descriptors = self.descriptors, []
        return taken

    def _send(self, body: bytes, descriptors, limit: float | None) -> None:
        head = struct.pack("<I", len(body))
        try:
            self.socket.settimeout(limit)
            if descriptors:
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
                self.socket.sendmsg([head], [rights])
                self.socket.sendall(body)
            else:
                self.socket.sendall(head + body)
        except socket.timeout as late:
            raise Late from late
        except OSError as gone:
            raise Closed from gone

    def _receive(self, limit: float | None) -> bytes:
        deadline = None if limit is None else time.monotonic() + limit
        size = struct.unpack("<I", self._exactly(4, deadline))[0]
        if size > LARGEST:
            raise Closed
        return self._exactly(size, deadline)

    def _exactly(self, count: int, deadline: float | None) -> bytes:
        parts = []
        while count:
            rest = None if deadline is None else deadline - time.monotonic()
            if rest is not None and rest <= 0:
                raise Late
            try:
                self.socket.settimeout(rest)
                space = socket.CMSG_SPACE(MOST_DESCRIPTORS * 4)
                part, ancillary, _, _ = self.socket.recvmsg(min(count, 1 << 20), space)
            except socket.timeout as late:
                raise Late from late
            except OSError as gone:
                raise Closed from gone
            if not part:
                raise Closed
            for level, kind, data in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    numbers = array.array("i")
                    numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
                    self.descriptors.extend(numbers)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
