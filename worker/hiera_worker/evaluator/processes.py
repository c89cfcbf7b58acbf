"""The process tree below one process, from /proc."""
from __future__ import annotations

import os
import signal


def children(pid: int) -> list[int]:
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as listed:
                found += [int(child) for child in listed.read().split()]
    except FileNotFoundError:
        if os.path.exists(f"/proc/{pid}"):
            found = [child for child, parent in _parents() if parent == pid]
    except OSError:
        pass
    return found


def descendants(pid: int) -> list[int]:
    """All below `pid`, parents first."""
    found, todo = [], children(pid)
    while todo:
        child = todo.pop(0)
        found.append(child)
        todo += children(child)
    return found


def _parents():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat:
                    yield int(name), int(stat.read().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue


def send(signal_number: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal_number)
        except OSError:
            pass
