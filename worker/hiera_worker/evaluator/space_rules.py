"""What each space allows in a built library and in a running candidate. Decided on objects, not on source text."""
from __future__ import annotations

import os
import re

from . import elf

SYSTEM = ("libc.so", "libm.so", "libmvec.so", "libpthread.so", "libdl.so", "librt.so", "ld-linux", "libgcc_s.so", "libstdc++.so", "libgomp.so", "libomp.so", "libc++", "libatomic.so", "linux-vdso")
VENDOR = ("libopenblas", "libblas.so", "libcblas", "liblapack", "libgfortran", "libquadmath", "libdnnl", "libmkl", "libiomp5", "libblis", "libtbb")
ALLOWED = {"kernel": SYSTEM, "libraries": SYSTEM + VENDOR}
#: reach past the object: what they load or start cannot be seen here
FORBIDDEN = re.compile(r"^(dlopen|dlmopen|dlsym|dlvsym|system|popen|fork|vfork|exec[lv]\w*|posix_spawnp?|ptrace|process_vm_\w+|mprotect|syscall)$")
UNPROVIDED = re.compile(r"^(__gmon_start__|_ITM_\w+|__cxa_finalize|__tls_get_addr)$")
VENDOR_SYMBOL = re.compile(r"^(cblas_|openblas_|dnnl_|_ZN?K?4dnnl|mkl_|LAPACKE_|[sdcz](gemm|gemv|ger|axpy|dot|scal|copy|nrm2|asum|trsm|syrk|symm)_$)")

#: PyTorch operators that hold no work of the problem: allocation, views, layout
PLAIN_OPERATORS = {
    "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "view", "_unsafe_view", "reshape", "_reshape_alias", "as_strided",
    "alias", "detach", "expand", "permute", "transpose", "t", "unsqueeze", "squeeze", "slice", "select", "narrow", "resize_", "set_",
    "contiguous", "clone", "copy_", "unbind", "split", "chunk", "lift_fresh", "_local_scalar_dense", "flatten", "unflatten", "view_as_real",
    "zeros", "zero_", "new_zeros", "fill_", "is_pinned", "prim_layout", "_to_copy",
}  # fmt: skip


def object_violation(path: str, space: str) -> str | None:
    """One line, or None where the library keeps to its space."""
    if space not in ALLOWED:
        return None
    found = elf.read(path)
    for library in found.needed:
        if not library.startswith(ALLOWED[space]):
            return f"the library links {library}, which space {space} does not allow; remove it or choose a wider space"
    for symbol in found.undefined:
        if FORBIDDEN.match(symbol.name):
            return f"the library calls {symbol.name}, which no space but torch allows; compute in your own code"
        if symbol.library or symbol.weak or UNPROVIDED.match(symbol.name):
            continue
        if space == "libraries" and VENDOR_SYMBOL.match(symbol.name):
            continue
        return f"the library needs {symbol.name}, which nothing that space {space} allows provides; define it or choose a wider space"
    return None


def mapped_violation(mapped: set[str], before: set[str], own: set[str], space: str) -> str | None:
    """`mapped`: code files now in the process; `before`: those of a bare one; `own`: names of built libraries."""
    if space not in ALLOWED:
        return None
    for path in sorted(mapped - before):
        name = os.path.basename(path)
        if name in own or name.startswith(ALLOWED[space]) or _standard_extension(path):
            continue
        return f"{name} was loaded, which space {space} does not allow; use only what was built for it"
    return None


def _standard_extension(path: str) -> bool:
    """Python's own compiled modules."""
    return "/lib-dynload/" in path or path.endswith("/libffi.so.8") or os.path.basename(path).startswith(("libffi", "libtorch", "libcrypto", "libssl", "libz.so", "liblzma", "libbz2"))


def operator_violation(operators: list[str], space: str) -> str | None:
    if space not in ALLOWED:
        return None
    for name in operators:
        plain = name.split("::")[-1]
        if name.startswith("aten::") and plain not in PLAIN_OPERATORS:
            return f"the call runs {name}, a PyTorch operator, which space {space} does not allow; compute it in your own code or choose space torch"
    return None
