"""What the reference would answer in float64: the same operators, every floating operand promoted on the way.

Works below autograd, on whatever the module calls, so it needs no trace. `module.double()` would not do: it draws
other random numbers, and leaves tensors made in forward at their own dtype.
"""
from __future__ import annotations

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

LOW = (torch.float32, torch.float16, torch.bfloat16)

#: drawn at the dtype the reference draws at, then promoted
RANDOM = {"rand", "randn", "rand_like", "randn_like", "normal", "bernoulli", "multinomial", "native_dropout", "uniform_", "normal_", "bernoulli_", "exponential_", "log_normal_", "cauchy_", "geometric_", "random_", "uniform", "exponential"}  # fmt: skip


class Mode(TorchDispatchMode):
    """A dispatch mode that does not pull in torch._dynamo, a second's import on current torch."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False


class Promote(Mode):
    """Runs every operator in float64. `draws`: the dtype in which random numbers without one of their own are drawn."""

    def __init__(self, draws: torch.dtype = torch.float32):
        super().__init__()
        self.draws = draws

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        schema = func._schema
        name = schema.name.split("::")[-1]
        if name in RANDOM:
            return self._random(func, name, args, kwargs)
        if kwargs.get("dtype") in LOW:
            kwargs["dtype"] = torch.float64
        args = tuple(torch.float64 if isinstance(arg, torch.dtype) and arg in LOW else arg for arg in args)
        if all(argument.alias_info is None for argument in schema.arguments):
            args, kwargs = promoted(args), promoted(kwargs)
        result = func(*args, **kwargs)
        if any(returned.alias_info is not None for returned in schema.returns):
            return result
        return promoted(result)

    def _random(self, func, name: str, args, kwargs):
        """In place on a promoted tensor: draws into one of the original dtype, then copies."""
        lowered = _map(lambda t: t.to(self.draws) if t.dtype == torch.float64 else t, (args, kwargs))
        low_args, low_kwargs = lowered
        if name in ("rand", "randn", "normal") and low_kwargs.get("dtype") is None and "generator" not in low_kwargs:
            low_kwargs["dtype"] = self.draws
        result = func(*low_args, **low_kwargs)
        if name.endswith("_") and isinstance(args[0], torch.Tensor):
            return args[0].copy_(result)
        return promoted(result)


def promoted(value):
    return _map(lambda t: t.double() if t.dtype in LOW else t, value)


def _map(change, value):
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map(change, part) for part in value) if not hasattr(value, "_fields") else type(value)(*(_map(change, part) for part in value))
    if isinstance(value, dict):
        return {key: _map(change, part) for key, part in value.items()}
    return value


@contextlib.contextmanager
def float64(draws: torch.dtype = torch.float32):
    """Everything within runs promoted; the default dtype is float64, so that what has no dtype gets it too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with Promote(draws):
            yield
    finally:
        torch.set_default_dtype(before)


class Accumulations(Mode):
    """Watches one run: the longest accumulation in elements, and which outputs are indices and into what."""

    def __init__(self):
        super().__init__()
        self.longest = 1
        self.operators: set[str] = set()
        #: index tensor's address → (the tensor selected from, dimension or None, keepdim)
        self.selections: dict[int, tuple] = {}
        self.kept: list = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func._schema.name.split("::")[-1]
        self.operators.add(name)
        self.longest = max(self.longest, accumulation(name, args, kwargs, result))
        if name in SELECTING:
            self._note_selection(func, name, args, kwargs, result)
        return result

    def _note_selection(self, func, name: str, args, kwargs, result) -> None:
        given = {a.name: v for a, v in zip(func._schema.arguments, args)}
        given.update(kwargs)
        indices = result[1] if isinstance(result, (tuple, list)) else result
        if isinstance(indices, torch.Tensor) and not indices.is_floating_point():
            default = None if name in ("argmax", "argmin") else -1
            self.selections[indices.data_ptr()] = (given["self"], given.get("dim", default), bool(given.get("keepdim", False)), name)
            self.kept.append(indices)


SELECTING = {"argmax", "argmin", "max", "min", "topk", "sort", "argsort", "kthvalue", "median", "mode"}

REDUCING = {"sum", "mean", "var", "std", "var_mean", "std_mean", "norm", "linalg_vector_norm", "prod", "logsumexp", "nansum"}
ALONG = {"_softmax", "_log_softmax", "cumsum", "cumprod", "logcumsumexp"}


def accumulation(name: str, args, kwargs, result) -> int:
    """Elements summed into one element of the result, 1 where nothing is."""
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    if not tensors:
        return 1
    first = tensors[0]
    if name in ("mm", "bmm", "mv", "dot", "_int_mm"):
        return first.shape[-1]
    if name in ("addmm", "baddbmm", "addbmm", "addmv"):
        return tensors[1].shape[-1]
    if name in ("linear", "_addmm_activation"):
        return first.shape[-1]
    if "convolution" in name and len(tensors) > 1 and tensors[1].dim() > 2:
        return max(tensors[1].numel() // max(tensors[1].shape[0], 1), 1)
    if name in REDUCING:
        first_result = result[0] if isinstance(result, (tuple, list)) else result
        return max(first.numel() // max(first_result.numel(), 1), 1)
    if name in ALONG:
        dim = kwargs.get("dim", args[1] if len(args) > 1 and isinstance(args[1], int) else -1)
        return first.shape[dim] if first.dim() else 1
    if name == "native_layer_norm":
        normalized = args[1] if len(args) > 1 else []
        size = 1
        for n in normalized:
            size *= n
        return size
    if "batch_norm" in name:
        return max(first.numel() // max(first.shape[1], 1), 1) if first.dim() > 1 else first.numel()
    if name == "native_group_norm" and len(args) > 6:
        return max(first.numel() // max(args[3] * args[6], 1), 1)
    if "pool" in name:
        out = result[0] if isinstance(result, (tuple, list)) else result
        kernel = args[1] if len(args) > 1 and isinstance(args[1], (list, tuple)) and "adaptive" not in name else None
        size = 1
        for n in kernel or [max(first.numel() // max(out.numel(), 1), 1)]:
            size *= n
        return size
    if "attention" in name:
        return max(first.shape[-1], tensors[1].shape[-2] if len(tensors) > 1 and tensors[1].dim() > 1 else 1)
    if name in ("_cdist_forward", "_euclidean_dist"):
        return first.shape[-1]
    if "lstm" in name or "gru" in name or "rnn" in name:
        return first.shape[-1]
    if name in ("scatter_add", "scatter_add_", "index_add", "index_add_", "bincount", "embedding_bag"):
        return max(first.numel(), 1)
    return 1
