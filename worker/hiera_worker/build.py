"""Builds shared libraries into the content-addressed cache."""
from __future__ import annotations

import os
import time

from . import dropin


def build(params: dict, progress=None) -> dict:
    """`BuildResult` of src/evaluation/calls.ts; a failed build is a result, with the compiler's lines."""
    if progress is not None:
        progress("build", params["build"]["language"])
    made = build_one(params["build"])
    made.pop("path")
    return made


def build_one(spec: dict) -> dict:
    """The same, with the library's `path` ("" where it failed)."""
    begun, path, log, cached = time.monotonic(), "", [], False
    try:
        cached = os.path.exists(dropin.library_path(spec["source"], spec["language"], list(spec["flags"])))
        path = dropin.build_library(spec["source"], spec["language"], list(spec["flags"]))
    except RuntimeError as failure:
        log = [line for line in str(failure).splitlines() if line.strip()][:200]
    return {"ok": bool(path), "cached": cached and bool(path), "seconds": round(time.monotonic() - begun, 4), "log": log, "path": path}
