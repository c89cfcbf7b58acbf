"""Answers requests in order. Imports neither torch nor a user's code: a crash of either leaves the server standing."""
import os
import platform
import queue
import signal
import sys
import threading

from . import __version__
from .errors import Infrastructure, Usage, WorkerError
from .roles import Role, stop_all

PROTOCOL = 1


def _tracer(method):
    return lambda params, progress: Role.shared("tracer").call(method, params, progress)


def _evaluator(name):
    def handle(params, progress):
        from . import evaluator

        return getattr(evaluator, name)(params, progress)

    return handle


def _build(params, progress):
    from .build import build

    return build(params, progress)


#: method → function of (params, progress)
METHODS = {
    "probe": _tracer("probe"),
    "trace": _tracer("trace"),
    "build": _build,
    "validate": _evaluator("validate"),
    "evaluate": _evaluator("evaluate"),
    "profile": _evaluator("profile"),
}


class Requests:
    """Waiting, running and cancelled: `cancel` ends the children of the running request, and a waiting one never starts."""

    def __init__(self):
        self._waiting, self._lock = queue.Queue(), threading.Lock()
        self._running, self._cancelled = None, set()

    def add(self, message):
        self._waiting.put(message)

    def cancel(self, id):
        with self._lock:
            self._cancelled.add(id)
            if self._running == id:
                stop_all()

    def done(self):
        """A cancel that comes from here on is too late, and must not hit the next request."""
        with self._lock:
            self._running = None

    def next(self):
        """The next request, and whether it was cancelled meanwhile."""
        message = self._waiting.get()
        with self._lock:
            self._running = message.get("id", 0)
            return message, self._running in self._cancelled


def serve(wire):
    """Until end of input. Requests run on one thread; `cancel` is read meanwhile."""
    wire.send({"hiera": PROTOCOL, "worker": __version__, "python": platform.python_version()})
    requests = Requests()
    threading.Thread(target=_answer_all, args=(wire, requests), daemon=True).start()
    for message in wire:
        if message.get("method") == "cancel":
            requests.cancel((message.get("params") or {}).get("id"))
        else:
            requests.add(message)
    stop_all()
    # whatever a child of a child still runs is in this process group or below it: nothing outlives the worker
    _stop_group()


def _answer_all(wire, requests):
    while True:
        message, cancelled = requests.next()
        answer = {"error": Infrastructure("cancelled").as_reply()} if cancelled else _answer(wire, message)
        requests.done()
        wire.send({"id": message.get("id", 0), **answer})


def _answer(wire, message):
    handle = METHODS.get(message.get("method"))

    def progress(stage, detail=None):
        wire.send({"id": message["id"], "progress": {"stage": stage, **({} if detail is None else {"detail": str(detail)})}})

    try:
        if handle is None:
            raise Usage("unknown method %r" % message.get("method"), todo="use one of: " + ", ".join(METHODS))
        return {"result": handle(message.get("params") or {}, progress)}
    except WorkerError as error:
        return {"error": error.as_reply()}
    except Exception as error:  # the worker's own fault: said as such, with where
        import traceback

        traceback.print_exc(file=sys.stderr)
        where = traceback.extract_tb(error.__traceback__)[-1]
        fault = Infrastructure("the worker failed: %s: %s" % (type(error).__name__, error), "%s:%s" % (os.path.basename(where.filename), where.lineno))
        return {"error": fault.as_reply()}


def _stop_group():
    if os.getpgrp() == os.getpid():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(os.getpgrp(), signal.SIGTERM)
    os._exit(0)
