"""`python -m hiera_worker.role NAME READ WRITE`: the child behind roles.Role."""
import resource
import sys
import warnings

from .errors import Infrastructure, WorkerError
from .wire import Wire


def _limit_memory():
    """A reference that asks for too much gets an error instead of the machine's out-of-memory killer."""
    from .load import available_memory

    limit = int(available_memory() * 0.9)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _handlers(name):
    if name == "tracer":
        from .probe import probe
        from .trace import trace

        return {"probe": probe, "trace": trace}
    raise SystemExit("unknown role %s" % name)


def main(name, read_fd, write_fd):
    wire = Wire(int(read_fd), int(write_fd))
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")  # torch is enough here
    try:
        handlers, broken = _handlers(name), None
        _limit_memory()
    except ImportError as error:
        broken = Infrastructure("this Python cannot import torch: %s" % error, sys.executable, "install torch, or set HIERA_PYTHON to a Python that has it")
    for message in wire:
        try:
            if broken is not None:
                raise broken
            progress = lambda stage, detail=None: wire.send({"progress": [stage, detail]})  # noqa: E731
            wire.send({"result": handlers[message["method"]](message["params"], progress)})
        except WorkerError as error:
            wire.send({"error": error.as_reply()})
        except Exception as error:
            import traceback

            traceback.print_exc()
            wire.send({"error": Infrastructure("the worker failed: %s: %s" % (type(error).__name__, str(error)[:300])).as_reply()})


if __name__ == "__main__":
    main(*sys.argv[1:])
