"""Notices when an attribute that the evaluator or a user relies on was replaced.

Additions are fine (lazy submodules, caches), and so are plain values such as flags: only functions, classes and
modules are compared, by identity. What is found here is a hint for honest mistakes and simple tricks; the judge
decides by values and by its own clock whatever this says.
"""
from __future__ import annotations

import builtins
import ctypes
import gc
import os
import random
import sys
import threading
import time
import types

import torch
import torch.autograd
import torch.cuda
import torch.nn.functional


def _places() -> dict[str, object]:
    from . import channel, harness, shared, tree

    return {
        "torch": torch, "torch.Tensor": torch.Tensor, "torch.nn": torch.nn, "torch.nn.functional": torch.nn.functional,
        "torch.nn.Module": torch.nn.Module, "torch.nn.Parameter": torch.nn.Parameter, "torch.cuda": torch.cuda,
        "torch.cuda.Event": torch.cuda.Event, "torch.cuda.Stream": torch.cuda.Stream, "torch.autograd": torch.autograd,
        "torch.random": torch.random, "torch.testing": torch.testing, "time": time, "ctypes": ctypes, "os": os, "sys": sys,
        "gc": gc, "builtins": builtins, "threading": threading, "random": random, "harness": harness, "harness.Harness":
        harness.Harness, "channel.Channel": channel.Channel, "shared": shared, "shared.Mapping": shared.Mapping, "tree": tree,
    }  # fmt: skip


#: replaced by Python or torch themselves in the course of ordinary work
EXPECTED = {"sys.stdout", "sys.stderr", "sys.excepthook", "sys.unraisablehook", "sys.displayhook", "sys.last_value", "sys.last_exc", "sys.last_type", "sys.last_traceback"}


#: replaced by torch._dynamo itself when it is imported or compiles
DYNAMO = {"torch.manual_seed", "torch.nn.Module.__init__", "torch.nn.Module.__setstate__"}


def _by_dynamo(full: str, new) -> bool:
    """The new value is code of a module of torch's own."""
    names = getattr(new, "__globals__", {})
    owner = sys.modules.get(names.get("__name__", ""))
    return full in DYNAMO and owner is not None and owner.__name__.startswith("torch._") and vars(owner) is names


def _attributes(place) -> dict[str, object]:
    if not isinstance(place, type):
        return dict(vars(place))
    found: dict[str, object] = {}
    for base in reversed(place.__mro__):  # an override in a subclass replaces what was inherited
        found.update(vars(base))
    return found


def _watched(value) -> bool:
    return callable(value) or isinstance(value, (types.ModuleType, property, staticmethod, classmethod))


def take() -> dict[str, dict[str, object]]:
    return {name: {k: v for k, v in _attributes(place).items() if _watched(v)} for name, place in _places().items()}


def replaced(before: dict[str, dict[str, object]]) -> list[str]:
    """Names of watched attributes whose value is another one now, or gone."""
    found = []
    for name, place in _places().items():
        now = _attributes(place)
        for attribute, value in before[name].items():
            full = f"{name}.{attribute}"
            new = now.get(attribute, value)
            if new is not value and full not in EXPECTED and not _by_dynamo(full, new):
                found.append(full)
    return found
