"""The protocol's descriptors: taken aside before anything else runs, so that no print can reach them."""
import fcntl
import json
import os
import threading


class Wire:
    """Lines of JSON in both directions. Writing is safe from several threads."""

    def __init__(self, read_fd, write_fd):
        self._in = os.fdopen(read_fd, "rb", buffering=1 << 16)
        self._out = write_fd
        self._lock = threading.Lock()

    def send(self, message):
        data = json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[os.write(self._out, view) :]

    def __iter__(self):
        for line in self._in:
            if line.strip():
                yield json.loads(line)


def take_standard_descriptors():
    """Moves stdin and stdout aside, close-on-exec; leaves /dev/null to read and stderr to write in their place."""
    read_fd, write_fd = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 10), fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 10)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return Wire(read_fd, write_fd)
