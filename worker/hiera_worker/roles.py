"""Trusted children that import torch and a user's reference, never a candidate: the server survives their crashes."""
import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading

from .errors import Infrastructure, ProblemInvalid, Usage
from .wire import Wire

_roles = {}
_lock = threading.Lock()
_KINDS = {"problem-invalid": ProblemInvalid, "usage": Usage, "infrastructure": Infrastructure}


class Role:
    """One persistent child process. A dead one is replaced at the next call."""

    @staticmethod
    def shared(name):
        with _lock:
            role = _roles.get(name)
            if role is None or role.process.poll() is not None:
                role = _roles[name] = Role(name)
            return role

    def __init__(self, name):
        self.name, self.stopped = name, False
        to_child, from_parent = os.pipe()
        to_parent, from_child = os.pipe()
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hiera_worker.role", name, str(to_child), str(from_child)],
            pass_fds=(to_child, from_child), stdin=subprocess.DEVNULL, stdout=2, env=environment, preexec_fn=_child_setup,
        )
        os.close(to_child)
        os.close(from_child)
        self.wire = Wire(to_parent, from_parent)

    def call(self, method, params, progress):
        """The answer, or the error that the child sent. A child that dies is the reference's fault: nothing else runs in it."""
        try:
            self.wire.send({"method": method, "params": params})
            for reply in self.wire:
                if "progress" in reply:
                    progress(*reply["progress"])
                elif "error" in reply:
                    error = reply["error"]
                    raise _KINDS[error["kind"]](error["message"], error.get("where"), error.get("todo"))
                else:
                    return reply["result"]
        except BrokenPipeError:
            pass
        code = self.process.wait()
        if self.stopped:
            raise Infrastructure("cancelled")
        how = "was ended by signal %s" % signal.Signals(-code).name if code < 0 else "exited with status %d" % code
        if method == "probe":
            raise Infrastructure("Python with torch %s" % how, sys.executable, "run: %s -c 'import torch'" % sys.executable)
        raise ProblemInvalid("running the reference %s" % how, None, "run it in Python first; it may need more memory than there is")

    def stop(self):
        """Ends the child at once; a call that waits for it says `cancelled`."""
        if self.process.poll() is None:
            self.stopped = True
            self.process.kill()
            self.process.wait()


def stop_all():
    """Ends every child; the evaluator's own end with their channels."""
    with _lock:
        for role in _roles.values():
            role.stop()
    evaluator = sys.modules.get("hiera_worker.evaluator")
    if evaluator is not None and hasattr(evaluator, "stop_all"):
        evaluator.stop_all()


def _child_setup():
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_with_parent():
    """SIGKILL when the parent is gone (Linux): nothing survives a kill of the worker."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
