"""Evaluates candidates against a problem. The worker's server calls `validate`, `evaluate` and `profile`.

Each problem has a judge in a process of its own, kept for the problems used last, so that a reference that crashes
or hangs takes no worker with it. What is trusted and what is not is drawn in `judge.py`, `zygote.py` and `harness.py`.
"""
from __future__ import annotations

import atexit
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections import OrderedDict

from ..errors import Infrastructure, ProblemInvalid
from .channel import Channel, Closed, Late

KEPT = 2
#: seconds without any word from a judge before it is given up
SILENCE = 1800.0


#: kept, the one used last at the end
_judges: OrderedDict[str, Remote] = OrderedDict()
_alive: set[Remote] = set()


class Remote:
    """A judge, from the worker's side."""

    def __init__(self, problem: dict):
        ours, theirs = socket.socketpair()
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        environment = dict(os.environ, OMP_WAIT_POLICY="passive")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
        self.problem = problem
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hiera_worker.evaluator.judge", str(theirs.fileno())],
            pass_fds=[theirs.fileno()], env=environment, cwd=root, stdin=subprocess.DEVNULL, stdout=2,
        )  # fmt: skip
        theirs.close()
        self.channel = Channel(ours)
        _alive.add(self)

    def ask(self, method: str, arguments: list, progress):
        try:
            self.channel.send_pickle({"do": method, "problem": self.problem, "arguments": arguments})
            while True:
                reply = self.channel.receive_pickle(SILENCE)
                if "progress" in reply:
                    progress(*reply["progress"])
                elif "failure" in reply:
                    raise reply["failure"]
                else:
                    return reply["result"]
        except Late:
            self.close()
            raise Infrastructure("the judge does not answer", todo="try again; a reference that never ends cannot be judged") from None
        except Closed:
            code = self._wait()
            self.close()
            if code == 0:
                raise Infrastructure("cancelled") from None
            if code in (-11, -7, -9, -6, -8):
                raise ProblemInvalid(f"the reference ended its process with signal {-code}", todo="run it in Python first; it may need more memory than there is") from None
            raise Infrastructure(f"the judge ended with status {code}", todo="try again") from None

    def _wait(self) -> int | None:
        try:
            return self.process.wait(5)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        _alive.discard(self)
        self.channel.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()




def _silent(stage: str, detail: str | None = None) -> None:
    return


def _key(problem: dict) -> str:
    return hashlib.sha256(json.dumps(problem, sort_keys=True).encode()).hexdigest()


def _ask(params: dict, method: str, arguments: list, progress):
    key = _key(params["problem"])
    judge = _judges.pop(key, None)
    if judge is not None and judge.process.poll() is not None:
        judge.close()
        judge = None
    if judge is None:
        while len(_judges) >= KEPT:
            _judges.popitem(last=False)[1].close()
        judge = Remote(params["problem"])
    kept = False
    try:
        answer = judge.ask(method, arguments, progress or _silent)
        kept = True
        return answer
    finally:
        if kept:
            _judges[key] = judge
        else:
            judge.close()


def validate(params: dict, progress=None) -> dict:
    """Raises ProblemInvalid with the reason. The result is `Validation` of src/evaluation/calls.ts."""
    return _ask(params, "validate", [], progress)


def evaluate(params: dict, progress=None) -> dict:
    """`Evaluation` of src/evaluation/calls.ts. A problem that cannot be judged gives `problem-invalid`, never an exception."""
    begun = time.monotonic()
    try:
        return _ask(params, "evaluate", [params["candidate"], params.get("effort", "full")], progress)
    except (ProblemInvalid, Infrastructure) as failure:
        parts = [str(failure), failure.where and f"({failure.where})", failure.todo and f": {failure.todo}"]
        reason = " ".join(" ".join(filter(None, parts)).split())
        verdict = "problem-invalid" if isinstance(failure, ProblemInvalid) else "infrastructure"
        return {
            "verdict": verdict, "reason": reason, "log": [], "checks": [], "error": None, "timing": None,
            "seconds": {"start": round(time.monotonic() - begun, 3)},
        }  # fmt: skip


def profile(params: dict, progress=None) -> dict:
    """`Profile` of src/evaluation/calls.ts. No profile is never an error: `available` is false, with why."""
    return _ask(params, "profile", [params.get("candidate")], progress)


def stop_all() -> None:
    """Ends every judge and all that it started, from any thread; a running request fails as cancelled."""
    for judge in list(_alive):
        judge.process.terminate()


def close() -> None:
    """Ends every judge and waits for that."""
    while _judges:
        _judges.popitem()[1].close()


atexit.register(close)
