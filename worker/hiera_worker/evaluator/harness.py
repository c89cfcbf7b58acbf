"""Runs one module, the reference or a candidate, in a disposable process, on command of the judge.

Nothing said from here is evidence: outputs are compared by the judge and time is taken by its clock. No expected
value is ever in this address space, and no tensor but the arguments of the running call is kept.
"""
from __future__ import annotations

import functools
import inspect
import os
import random
import sys
import time
import traceback
import types
from itertools import islice

import torch

from .. import precision
from . import oracle, shared, snapshot, tree
from .channel import Channel, Closed


class Refusal(Exception):
    """The module's interface is not the one asked for."""


def serve(channel: Channel) -> None:
    harness = Harness()
    while True:
        try:
            message = channel.receive_pickle()
            harness.descriptors = channel.take_descriptors()
        except Closed:
            os._exit(3)
        try:
            reply = getattr(Harness, message["do"])(harness, message)
        except SystemExit:
            os._exit(0)
        except BaseException as error:
            reply = {"error": describe_error(error, harness.filename)}
        channel.send_json(reply)


def describe_error(error: BaseException, filename: str) -> dict:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == filename]
    chain, link, printed = [], error, None
    while link is not None and len(chain) < 8:
        chain.append(type(link).__name__)
        printed = getattr(link, "stderr", None) or getattr(link, "output", None) or printed
        link = link.__cause__ or link.__context__
    line = own[-1].lineno if own else (error.lineno if isinstance(error, SyntaxError) else None)
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {
        "type": type(error).__name__,
        "message": str(error)[:4000],
        "line": line,
        "trace": text[-6000:],
        "chain": chain,
        "printed": (printed.decode("utf-8", "replace") if isinstance(printed, bytes) else str(printed or ""))[:8000],
        "functions": [frame.name for frame in frames],
        "refusal": isinstance(error, Refusal),
    }


class Harness:
    def __init__(self):
        self.filename = ""
        self.descriptors: list[int] = []
        self.maps: dict[str, shared.Mapping] = {}
        self.last = None

    def attach(self, message: dict) -> dict:
        """Maps memory that the judge made: name → size."""
        for (name, size), descriptor in zip(message["sizes"].items(), self.descriptors):
            if name in self.maps:
                self.maps.pop(name).close()
            self.maps[name] = shared.Mapping(size, descriptor)
        return {}

    def load(self, message: dict) -> dict:
        """Runs the file and makes the module; answers its state's names and shapes."""
        precision.apply(message["precision"], message["threads"])
        before = self.before = snapshot.take()
        self.filename = os.path.abspath(message["filename"])
        with open(self.filename, "w") as out:
            out.write(message["source"])
        module = types.ModuleType(os.path.splitext(os.path.basename(self.filename))[0])
        module.__file__ = self.filename
        sys.modules[module.__name__] = module
        exec(compile(message["source"], self.filename, "exec"), module.__dict__)
        name = message["class"]
        kind = getattr(module, name, None)
        if not isinstance(kind, type) or not issubclass(kind, torch.nn.Module):
            found = [k for k, v in vars(module).items() if isinstance(v, type) and v.__module__ == module.__name__]
            what = "no class" if kind is None else "no torch.nn.Module"
            raise Refusal(f"{name} is {what}: define class {name}(torch.nn.Module); found {', '.join(found) or 'no classes'}")
        seed(message["seed"])
        arguments = tree.unflatten(*message["init"])
        _check_arguments(kind, arguments, f"{name}(...)", drop_self=False)
        self.model = kind(*arguments)
        if message["mode"] != "as-is":
            self.model.train(message["mode"] == "train")
        state = {k: v for k, v in self.model.state_dict(keep_vars=True).items() if isinstance(v, torch.Tensor)}
        return {
            "state": [[key, list(value.shape), str(value.dtype)] for key, value in state.items()],
            "compiles": "torch._dynamo" in sys.modules,
            "replaced": snapshot.replaced(before),
        }

    def inspect(self, message: dict) -> dict:
        return {"replaced": snapshot.replaced(self.before)}

    def signature(self, message: dict) -> dict:
        """How forward's arguments lie in one set of a mapping: structure, places, bytes from set to set."""
        shape, places, self.stride = message["structure"], message["places"], message["stride"]
        self.structure = shape
        self.parts = [(p.dtype, p.span, p.offset, p.shape, p.strides, _dense(p)) for p in places]
        return {}

    def state(self, message: dict) -> dict:
        """Copies parameters and buffers by name, visibly: their versions move on."""
        self.state_places = message["places"]
        self._copy_state(message["places"])
        return {}

    def _copy_state(self, names) -> None:
        current = self.model.state_dict(keep_vars=True)
        with torch.no_grad():
            for name in names:
                current[name].copy_(self.maps["state"].tensor(self.state_places[name]))

    def arguments(self, name: str, index: int) -> list:
        buffer, base = self.maps[name].map, index * self.stride
        tensors = []
        for dtype, span, offset, shape, strides, dense in self.parts:
            if span == 0:
                tensors.append(torch.empty(shape, dtype=dtype))
                continue
            flat = torch.frombuffer(buffer, dtype=dtype, count=span, offset=base + offset)
            tensors.append(flat.view(shape) if dense else flat.as_strided(shape, strides))
        return tree.unflatten(self.structure, tensors)

    def call(self, message: dict) -> dict:
        """One call on the set in `inputs`; its outputs are copied out at once. Answers what came back, by type and shape."""
        self.last = None
        if message["reset"]:
            self._copy_state(message["reset"])
        if message["seed"] is not None:
            seed(message["seed"])
        poison(message["poison"])
        arguments = self.arguments("inputs", 0)
        if message["bind"]:
            _check_arguments(type(self.model).forward, arguments, "forward(...)", drop_self=True)
        watch = Watch() if message["watch"] else None
        with torch.no_grad():
            if watch is None:
                self.last = self.model(*arguments)
            else:
                with watch:
                    self.last = self.model(*arguments)
            del arguments
            reply = self._copy_out(message["outputs"])
            self._copy_buffers(message["buffers"])
        if watch is not None:
            reply["operators"] = sorted(watch.seen)
        return reply

    def again(self, message: dict) -> dict:
        """The same outputs a moment later: have they changed since the call returned?"""
        time.sleep(message["wait"])
        with torch.no_grad():
            return self._copy_out(message["outputs"])

    def collect(self, message: dict) -> dict:
        with torch.no_grad():
            reply = self._copy_out(message["outputs"])
        self.last = None
        return reply

    def burst(self, message: dict) -> dict:
        """As many calls as `order` has entries, on the sets of the mapping `sets`; an empty one makes the arguments only."""
        order, model, arguments = message["order"], self.model, self.arguments
        self.last = out = None
        reseed = nothing if message["seed"] is None else functools.partial(seed, message["seed"])
        with torch.no_grad():
            if message["empty"]:
                for index in order:
                    reseed()
                    arguments("sets", index)
                return {}
            if message["ring"] is not None:
                return self._kept(message, reseed)
            for index in order:
                out = None
                reseed()
                out = model(*arguments("sets", index))
        self.last = out
        return {}

    def _kept(self, message: dict, reseed) -> dict:
        """The same calls, each one's outputs copied to a place of their own before the next begins."""
        for index, places in zip(message["order"], message["ring"]):
            reseed()
            tensors = tree.flatten(self.model(*self.arguments("sets", index)))[1]
            for tensor, place in zip(tensors, places):
                self.maps["ring"].tensor(place).copy_(tensor)
        return {}

    def reset(self, message: dict) -> dict:
        self.last = None
        self._copy_state(message["names"])
        return {}

    def profile(self, message: dict) -> dict:
        """Self time by operator, summed over the calls of `order`."""
        from torch.profiler import ProfilerActivity, profile

        calls = message["order"]
        with torch.no_grad():
            self.model(*self.arguments("sets", 0))
            with profile(activities=[ProfilerActivity.CPU]) as found:
                for index in calls:
                    self.model(*self.arguments("sets", index))
        events = sorted(found.key_averages(), key=lambda event: -event.self_cpu_time_total)
        rows = [[e.key, e.self_cpu_time_total / 1000 / len(calls), e.count / len(calls)] for e in islice(events, 40)]
        total = sum(e.self_cpu_time_total for e in events) / 1000 / len(calls)
        return {"operators": rows, "total": total}

    def _copy_out(self, expected: dict) -> dict:
        structure, tensors = tree.flatten(self.last)
        found = []
        for tensor in tensors:
            plain = type(tensor) in (torch.Tensor, torch.nn.Parameter)
            strided = plain and tensor.layout is torch.strided
            found.append([type(tensor).__name__ if strided or not plain else str(tensor.layout), list(tensor.shape), str(tensor.dtype), str(tensor.device)])
            if not plain:
                return {"structure": tree.describe(structure), "outputs": found, "subclass": type(tensor).__name__, "copied": False}
        text = tree.describe(structure)
        wanted = [[list(p.shape), str(p.dtype)] for p in expected["places"]]
        fits = text == expected["structure"] and [f[1:3] for f in found] == wanted and all(f[0] in ("Tensor", "Parameter") for f in found)
        if fits:
            for tensor, place in zip(tensors, expected["places"]):
                self.maps["outputs"].tensor(place).copy_(tensor)
        return {"structure": text, "outputs": found, "subclass": None, "copied": fits}

    def _copy_buffers(self, places: dict) -> None:
        if places:
            current = self.model.state_dict(keep_vars=True)
            for name, place in places.items():
                self.maps["outputs"].tensor(place).copy_(current[name])


class Watch(oracle.Mode):
    """Which PyTorch operators a call runs."""

    def __init__(self):
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.add(func._schema.name)
        return func(*args, **(kwargs or {}))


def nothing() -> None:
    return


def seed(value: int) -> None:
    random.seed(value)
    torch.manual_seed(value)


def poison(sizes: list[int]) -> None:
    """Leaves NaN patterns in freed memory, so that an output nobody writes shows itself."""
    held = [torch.full((size,), 255, dtype=torch.uint8) for size in sizes for _ in range(2)]
    del held


def _dense(place: shared.Place) -> bool:
    stride = 1
    for size, step in zip(reversed(place.shape), reversed(place.strides)):
        if size != 1 and step != stride:
            return False
        stride *= size
    return True


def _check_arguments(function, arguments: list, what: str, drop_self: bool) -> None:
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return
    given = ([None] if drop_self else []) + list(arguments)
    try:
        found.bind(*given)
    except TypeError as mismatch:
        raise Refusal(f"{what} is called with {len(arguments)} positional arguments, as the reference is, but takes {found}: {mismatch}") from None
