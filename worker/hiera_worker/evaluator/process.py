"""The judge's side of one disposable process: started from the zygote, stopped and resumed, watched, taken down."""
from __future__ import annotations

import json
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from . import processes, sandbox
from .channel import Channel, Closed, Late

KEPT_OUTPUT = 32 << 10
PREFIX = "hiera-run-"
_live: set[Process] = set()


def close_all() -> None:
    for process in list(_live):
        process.close()


def sweep() -> None:
    """Folders of judges that were killed before they could remove them."""
    root = scratch_root()
    for name in os.listdir(root):
        owner = name[len(PREFIX) :].split("-")[0] if name.startswith(PREFIX) else ""
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            shutil.rmtree(os.path.join(root, name), ignore_errors=True)


class Ended(Exception):
    """The process is gone. `status`: {"exit": n} or {"signal": n}; empty where it left no word."""

    def __init__(self, status: dict):
        super().__init__(str(status))
        self.status = status


class TooLong(Exception):
    """No answer within the limit, in seconds."""

    def __init__(self, limit: float):
        super().__init__(f"no answer within {limit:.0f} s")
        self.limit = limit


class Zygote:
    def __init__(self, threads: int):
        ours, theirs = socket.socketpair()
        environment = sandbox.allowed_environment()
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            environment[name] = str(threads)
        # idle threads of GNU OpenMP spin for milliseconds by default; on a machine with other work each wait then costs a
        # time slice. Long enough to bridge the gap between two operators, for both sides alike.
        environment.setdefault("GOMP_SPINCOUNT", "20000")
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hiera_worker.evaluator.zygote", str(theirs.fileno())],
            pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, cwd=root,
        )  # fmt: skip
        theirs.close()
        self.channel = Channel(ours)

    def spawn(self, spec: dict, descriptors: list[int]) -> int:
        try:
            self.channel.send_pickle(spec, descriptors)
            return self.channel.receive_pickle(120)["pid"]
        except (Closed, Late) as gone:
            raise Ended({}) from gone

    def close(self) -> None:
        self.channel.close()
        self.process.kill()
        self.process.wait()


def scratch_root() -> str:
    """A folder for private folders that an unprivileged user can reach."""
    for folder in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        path, open_to_all = os.path.realpath(folder), True
        while path != "/":
            open_to_all &= bool(os.stat(path).st_mode & 0o001)
            path = os.path.dirname(path)
        if open_to_all:
            return folder
    return tempfile.gettempdir()


class Process:
    """One candidate or baseline. Every wait has a limit; `close` leaves no process, folder or descriptor behind."""

    def __init__(self, zygote: Zygote, memory: int, files: dict[str, str]):
        """`memory`: bytes of private data allowed. `files`: paths to copy into its cache folder, by name there."""
        self.uid = 61184 + secrets.randbelow(4096) if os.geteuid() == 0 else None
        self.folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=scratch_root())
        _live.add(self)
        self.output, self.pid, self.status = bytearray(), 0, None
        self.stopped = False
        for name in ("home", "tmp", "cache"):
            os.mkdir(os.path.join(self.folder, name))
        for name, path in files.items():
            shutil.copyfile(path, os.path.join(self.folder, "cache", name))
        if self.uid is not None:
            for name in ("", "home", "tmp", "cache"):
                os.chown(os.path.join(self.folder, name), self.uid, self.uid)
        ours, theirs = socket.socketpair()
        self._printed, printing = os.pipe()
        self._told, telling = os.pipe()
        self.channel = Channel(ours)
        os.set_blocking(self._printed, False)
        spec = {"uid": self.uid, "memory": memory, "files": 4 << 30, "folder": self.folder}
        try:
            self.pid = zygote.spawn(spec, [theirs.fileno(), printing, telling])
        except BaseException:
            self.close()
            raise
        finally:
            theirs.close()
            os.close(printing)
            os.close(telling)
        started = self._answer(60)
        if not started.get("started"):
            self.close()
            raise Ended({"why": started.get("why", "")})
        self.isolation = [str(part) for part in started.get("isolation", [])]

    def request(self, message: dict, limit: float, descriptors=()) -> dict:
        """Raises Ended, TooLong. An answer that is no JSON object counts as the end of the process."""
        self.resume()
        try:
            self.channel.send_pickle(message, descriptors, limit)
        except Late:
            raise TooLong(limit) from None
        except Closed:
            raise Ended(self._status()) from None
        return self._answer(limit)

    def _answer(self, limit: float) -> dict:
        deadline = time.monotonic() + limit
        watched = [self.channel, self._printed, self._told]
        while True:
            rest = deadline - time.monotonic()
            if rest <= 0:
                raise TooLong(limit)
            ready = select.select(watched, [], [], rest)[0]
            if self._printed in ready and not self._drain():
                watched.remove(self._printed)
            if self.channel in ready:
                try:
                    reply = self.channel.receive_json(max(0.1, rest))
                except Late:
                    raise TooLong(limit) from None
                except (Closed, ValueError):
                    raise Ended(self._status()) from None
                for descriptor in self.channel.take_descriptors():
                    os.close(descriptor)
                if not isinstance(reply, dict):
                    raise Ended(self._status())
                return reply
            if self._told in ready:
                raise Ended(self._status())

    def _drain(self) -> bool:
        try:
            part = os.read(self._printed, 65536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.output += part
        if len(self.output) > 2 * KEPT_OUTPUT:
            del self.output[KEPT_OUTPUT // 2 : -KEPT_OUTPUT]
        return bool(part)

    def _status(self) -> dict:
        if self.status is None:
            self.status = {}
            if select.select([self._told], [], [], 5)[0]:
                try:
                    self.status = json.loads(os.read(self._told, 4096) or b"{}")
                except ValueError:
                    pass
            self._status_output()
        return self.status

    def members(self) -> list[int]:
        return processes.descendants(self.pid)

    def stop(self) -> None:
        """Nothing of it runs on while another is measured."""
        processes.send(signal.SIGSTOP, self.members())
        self.stopped = True

    def resume(self) -> None:
        if self.stopped:
            processes.send(signal.SIGCONT, self.members())
            self.stopped = False

    def waited(self) -> float:
        """Seconds that its threads were ready to run and had no processor, by the kernel's count; 0 where it keeps none."""
        total = 0
        for pid in self.members():
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/schedstat") as stat:
                        total += int(stat.read().split()[1])
            except (OSError, ValueError, IndexError):
                continue
        return total / 1e9

    def libraries(self) -> set[str]:
        """Files mapped as code by the process itself, from the kernel's own list."""
        found: set[str] = set()
        for pid in self.members()[:1]:
            try:
                with open(f"/proc/{pid}/maps") as maps:
                    for line in maps:
                        fields = line.split(None, 5)
                        if "x" in fields[1] and len(fields) > 5 and fields[5].startswith("/"):
                            found.add(fields[5].strip())
            except OSError:
                continue
        return found

    def log(self, lines: int = 40) -> list[str]:
        self._status_output()
        text = bytes(self.output).decode("utf-8", "replace")
        return [line.rstrip()[:400] for line in text.splitlines() if line.strip()][-lines:]

    def _status_output(self) -> None:
        for _ in range(64):  # it may print faster than this reads
            if not select.select([self._printed], [], [], 0)[0] or not self._drain():
                return

    def close(self) -> None:
        if self.pid:
            left = self.members()
            processes.send(signal.SIGKILL, [*left, self.pid])
            deadline = time.monotonic() + 5
            while any(os.path.exists(f"/proc/{pid}") and not _is_zombie(pid) for pid in [*left, self.pid]) and time.monotonic() < deadline:
                time.sleep(0.002)
            self.pid = 0
        self.channel.close()
        open_ones, self._printed, self._told = (self._printed, self._told), -1, -1
        for descriptor in open_ones:
            if descriptor >= 0:
                os.close(descriptor)
        shutil.rmtree(self.folder, ignore_errors=True)
        _live.discard(self)
        if self.uid is not None:
            _remove_files_of(self.uid)


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except (OSError, IndexError):
        return True


def _remove_files_of(uid: int) -> None:
    """What it left in the common folders: nobody else has its number."""
    for folder in {"/tmp", "/var/tmp", "/dev/shm", tempfile.gettempdir()}:
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.stat(follow_symlinks=False).st_uid != uid:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
            except OSError:
                continue
