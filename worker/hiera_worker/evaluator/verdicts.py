"""From what happened to a verdict with a reason that says what to do."""
from __future__ import annotations

import signal

from .process import Ended, TooLong

#: where several apply, the first decides; the same list as in src/evaluation/verdict.ts
ORDER = (
    "tampering", "no-evidence", "compile-error", "timeout", "memory-error", "runtime-error", "wrong-interface", "input-mutated",
    "deferred", "stale", "nondeterministic", "incorrect", "imprecise", "outside-space", "valid",
)  # fmt: skip


class Found(Exception):
    """Evaluation ends with this verdict."""

    def __init__(self, verdict: str, reason: str, log: list[str] | None = None, share: tuple[float, str] | None = None):
        super().__init__(reason)
        self.verdict, self.reason = verdict, one_line(reason)
        self.log, self.share = log or [], share


def one_line(text: str, limit: int = 500) -> str:
    return " ".join(str(text).split())[:limit]


MEMORY_SIGNALS = {signal.SIGSEGV, signal.SIGBUS}
HEAP = ("corrupted", "malloc", "free()", "double free", "bad_alloc", "out of memory", "invalid pointer", "stack smashing", "munmap_chunk", "buffer overflow")


def from_end(ended: Ended, stage: str, log: list[str]) -> Found:
    """The process is gone without its record."""
    number = ended.status.get("signal")
    if number is None:
        how = f"with status {ended.status['exit']}" if "exit" in ended.status else "without a word"
        return Found("no-evidence", f"the process ended {how} during {stage}: no result was handed over; do not exit the process", log)
    name = signal.Signals(number).name if number in list(signal.Signals) else f"signal {number}"
    if number in MEMORY_SIGNALS:
        return Found("memory-error", f"{name} during {stage}: memory out of bounds; check every index and pointer against the contract's shapes", log)
    if number == signal.SIGABRT and any(word in line.lower() for line in log for word in HEAP):
        return Found("memory-error", f"{name} during {stage}: {_telling(log, HEAP)}; check writes past the end of a buffer", log)
    if number == signal.SIGKILL:
        return Found("memory-error", f"{name} during {stage}: killed, most likely for memory", log)
    return Found("runtime-error", f"{name} during {stage}{': ' + log[-1] if log else ''}", log)


def _telling(log: list[str], words) -> str:
    return next((line for line in reversed(log) if any(word in line.lower() for word in words)), "the heap is corrupted")


def from_timeout(late: TooLong, stage: str, log: list[str]) -> Found:
    return Found("timeout", f"{stage} did not end within {late.limit:.0f} s; look for an endless loop or a deadlock", log)


COMPILERS = ("CalledProcessError", "CppCompileError", "CompilationError", "CUDACompileError")


def from_error(error: dict, stage: str, log: list[str]) -> Found:
    """An exception that the harness reports."""
    kind, message = str(error.get("type")), str(error.get("message"))
    where = f" at line {error['line']}" if error.get("line") else ""
    lines = [line for line in str(error.get("trace", "")).splitlines() if line.strip()][-30:] + log[-10:]
    chain, functions = error.get("chain") or [], error.get("functions") or []
    if error.get("refusal"):
        return Found("wrong-interface", message, lines)
    first = next((line for line in message.splitlines() if line.strip()), "")
    if kind in ("SyntaxError", "IndentationError", "TabError"):
        return Found("compile-error", f"{kind}{where}: {first}", lines)
    building = "build_library" in functions or any(name in ("load_inline", "_jit_compile") for name in functions)
    if any(name in COMPILERS for name in chain) or (building and stage != "a call"):
        told = [line for line in (str(error.get("printed") or "") or message).splitlines() if line.strip()]
        telling = next((line for line in told if "error" in line.lower()), first)
        return Found("compile-error", f"the build failed{where}: {telling}", told[-40:] or lines)
    low = message.lower()
    if kind == "MemoryError" or "allocate memory" in low or "out of memory" in low or "not enough memory" in low:
        return Found("memory-error", f"{kind}{where} during {stage}: {first}; use less memory", lines)
    return Found("runtime-error", f"{kind}{where} during {stage}: {first}", lines)
