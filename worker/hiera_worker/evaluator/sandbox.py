"""What a disposable process gives up before it runs anything that was handed in. Linux only."""
from __future__ import annotations

import ctypes
import os
import resource
import tempfile

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x8000000, 0x20000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV = 0x1000, 0x4000, 0x40000, 2, 4

#: the environment of a candidate: found tools, threads and language; never a key
ALLOWED = (
    "PATH", "LANG", "LC_ALL", "TZ", "CXX", "CC", "NVCC", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHASHSEED",
)  # fmt: skip

libc = ctypes.CDLL(None, use_errno=True)


def allowed_environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ALLOWED if name in os.environ}


def die_with_parent() -> None:
    libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)


def set_dumpable(on: bool) -> None:
    """Off: no process of the same user may read this one's memory."""
    libc.prctl(PR_SET_DUMPABLE, int(on), 0, 0, 0)


def become_subreaper() -> None:
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def next_child_in_own_pid_namespace() -> bool:
    """The caller's next child is the first process of a namespace of its own: when it dies, so does all that it started."""
    try:
        own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    except OSError:
        return False
    try:
        return libc.setns(own, CLONE_NEWPID) == 0 and libc.unshare(CLONE_NEWPID) == 0
    finally:
        os.close(own)


def isolate(uid: int | None, memory: int, files: int) -> list[str]:
    """Drops what can be dropped here and returns what was, as `network`, `uid` …  `memory`, `files`: limits in bytes."""
    done = []
    os.setsid()
    if libc.unshare(CLONE_NEWNET) == 0:
        done.append("network")
    if libc.unshare(CLONE_NEWIPC | CLONE_NEWNS) == 0 and _private_shared_memory():
        done.append("shared memory")
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, files), (resource.RLIMIT_DATA, memory)]
    if uid is not None:
        limits.append((resource.RLIMIT_NPROC, 1024))
    for which, amount in limits:
        hard = resource.getrlimit(which)[1]
        amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        resource.setrlimit(which, (amount, amount))
    done.append("limits")
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        done.append("uid")
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    die_with_parent()  # setuid clears it
    set_dumpable(True)
    return done


def reveal(paths: list[str]) -> bool:
    """Makes `paths` reachable for an unprivileged user where a closed folder is above them (Python in root's home):
    in a mount namespace of the caller's own, the closed folder is covered by an empty one that holds them alone."""
    needed: dict[str, set[str]] = {}
    for path in {os.path.realpath(path) for path in paths if os.path.exists(path)}:
        closed = _closed_above(path)
        if closed:
            needed.setdefault(closed, set()).add(path)
    if not needed:
        return True
    none = ctypes.c_char_p(None)
    if libc.unshare(CLONE_NEWNS) != 0 or libc.mount(b"none", b"/", none, MS_REC | MS_PRIVATE, none) != 0:
        return False
    for closed, inside in needed.items():
        outermost = sorted(path for path in inside if not any(path != other and path.startswith(other + "/") for other in inside))
        held = {path: os.open(path, os.O_PATH) for path in outermost}
        if libc.mount(b"hiera", closed.encode(), b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=755") != 0:
            return False
        for path, descriptor in held.items():
            os.makedirs(path, exist_ok=True)
            source = f"/proc/self/fd/{descriptor}".encode()
            done = libc.mount(source, path.encode(), none, MS_BIND | MS_REC, none) == 0
            os.close(descriptor)
            if not done:
                return False
    return True


def _closed_above(path: str) -> str | None:
    """The outermost folder above `path` (or itself) that others may not enter."""
    parts = path.strip("/").split("/")
    for count in range(1, len(parts) + 1):
        folder = "/" + "/".join(parts[:count])
        if os.path.isdir(folder) and not os.stat(folder).st_mode & 0o001:
            return folder
    return None


def _private_shared_memory() -> bool:
    none = ctypes.c_char_p(None)
    if libc.mount(b"none", b"/", none, MS_REC | MS_PRIVATE, none) != 0:
        return False
    return libc.mount(b"hiera", b"/dev/shm", b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=1777,size=25%") == 0


def use_private_folders(folder: str) -> None:
    """`folder` holds home/, tmp/ and cache/, owned by the user that the process becomes."""
    home, tmp, cache = (os.path.join(folder, name) for name in ("home", "tmp", "cache"))
    kept = allowed_environment()
    os.environ.clear()
    os.environ.update(kept)
    os.environ.update(
        HOME=home, TMPDIR=tmp, HIERA_CACHE=cache, XDG_CACHE_HOME=os.path.join(home, ".cache"), USER="candidate", LOGNAME="candidate",
        TORCH_EXTENSIONS_DIR=os.path.join(home, "extensions"), TORCHINDUCTOR_CACHE_DIR=os.path.join(home, "inductor"),
    )  # fmt: skip
    tempfile.tempdir = None
    os.chdir(tmp)
