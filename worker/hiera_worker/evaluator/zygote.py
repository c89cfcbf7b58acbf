"""A process that has imported torch and nothing else, and forks one disposable process per request.

It runs no tensor operation, ever: after one threaded operation in the parent, a forked child hangs in its first.
"""
from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys

from . import sandbox
from .channel import Channel, Closed


def serve(channel: Channel, reached: bool) -> None:
    """`reached`: an unprivileged user can import what is imported late. Otherwise children keep their user."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for here
    while True:
        try:
            spec = channel.receive_pickle()
        except Closed:
            return
        descriptors = channel.take_descriptors()
        if not reached:
            spec["uid"] = None
        own_namespace = sandbox.next_child_in_own_pid_namespace()
        pid = os.fork()
        if pid == 0:
            channel.close()
            _supervise(spec, descriptors, own_namespace)
        for descriptor in descriptors:
            os.close(descriptor)
        channel.send_pickle({"pid": pid})


def _supervise(spec: dict, descriptors: list[int], own_namespace: bool) -> None:
    """Starts the process proper, tells how it ended over a pipe that only this process holds, and takes all leftovers down."""
    talk, output, status = descriptors
    sandbox.die_with_parent()
    sandbox.become_subreaper()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        os.close(status)
        _become(spec, talk, output, own_namespace)
    os.close(talk)
    os.close(output)
    while True:
        pid, code = os.wait()
        if pid == child:
            break
    with os.fdopen(status, "w") as out:
        json.dump({"exit": os.WEXITSTATUS(code)} if os.WIFEXITED(code) else {"signal": os.WTERMSIG(code)}, out)
    if not own_namespace:
        _kill_descendants()
    os._exit(0)


def _kill_descendants() -> None:
    from .processes import descendants

    while True:
        left = descendants(os.getpid())
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, 0 if left else os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return


def _become(spec: dict, talk: int, output: int, own_namespace: bool) -> None:
    from . import harness

    sandbox.die_with_parent()
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(null)
    os.close(output)
    channel = Channel(socket.socket(fileno=talk))
    try:
        done = sandbox.isolate(spec["uid"], spec["memory"], spec["files"])
        sandbox.use_private_folders(spec["folder"])
    except OSError as failure:
        channel.send_json({"started": False, "why": str(failure)})
        os._exit(1)
    if own_namespace:
        done.append("pid namespace")
    channel.send_json({"started": True, "isolation": done})
    harness.serve(channel)


def main() -> None:
    import torch  # noqa: F401  the point of this process
    import torch.nn.functional  # noqa: F401

    from . import harness  # noqa: F401

    sandbox.die_with_parent()
    sandbox.set_dumpable(False)
    reached = True
    if os.geteuid() == 0:
        reached = sandbox.reveal([*filter(os.path.isdir, sys.path), sys.prefix, sys.base_prefix])
    gc.collect()
    gc.freeze()
    serve(Channel(socket.socket(fileno=int(sys.argv[1]))), reached)


if __name__ == "__main__":
    main()
