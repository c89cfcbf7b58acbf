"""Arguments and results as a structure plus a flat list of tensors."""
from __future__ import annotations

import torch


def flatten(value) -> tuple[object, list]:
    """`value` with each tensor replaced by its number, and the tensors in that order."""
    tensors: list = []
    return _flatten(value, tensors), tensors


def _flatten(node, tensors: list):
    # no closure: one that calls itself is a cycle, and would keep the tensors alive until a collection
    if isinstance(node, torch.Tensor):
        tensors.append(node)
        return ("tensor", len(tensors) - 1)
    if isinstance(node, tuple):
        return ("tuple", [_flatten(part, tensors) for part in node])
    if isinstance(node, list):
        return ("list", [_flatten(part, tensors) for part in node])
    if isinstance(node, dict):
        return ("dict", list(node), [_flatten(node[key], tensors) for key in node])
    return ("literal", node)


def unflatten(shape, tensors):
    kind = shape[0]
    if kind == "tensor":
        return tensors[shape[1]]
    if kind == "tuple":
        return tuple(unflatten(part, tensors) for part in shape[1])
    if kind == "list":
        return [unflatten(part, tensors) for part in shape[1]]
    if kind == "dict":
        return {key: unflatten(part, tensors) for key, part in zip(shape[1], shape[2])}
    return shape[1]


def describe(shape) -> str:
    """For people: `tuple(tensor, {'loss': tensor})`. Two results agree in structure where this text agrees."""
    kind = shape[0]
    if kind == "tensor":
        return "tensor"
    if kind == "tuple":
        return "tuple(" + ", ".join(describe(part) for part in shape[1]) + ")"
    if kind == "list":
        return "[" + ", ".join(describe(part) for part in shape[1]) + "]"
    if kind == "dict":
        return "{" + ", ".join(f"{key!r}: {describe(part)}" for key, part in zip(shape[1], shape[2])) + "}"
    return f"{type(shape[1]).__name__} {shape[1]!r:.60}"


def names(shape, path: str = "") -> list[str]:
    """A name for each tensor: ``, `[0]`, `['loss']`."""
    kind = shape[0]
    if kind == "tensor":
        return [path]
    if kind in ("tuple", "list"):
        return [name for index, part in enumerate(shape[1]) for name in names(part, f"{path}[{index}]")]
    if kind == "dict":
        return [name for key, part in zip(shape[1], shape[2]) for name in names(part, f"{path}[{key!r}]")]
    return []
