"""The problem's module as the judge runs it: at its own level, and in float64."""
from __future__ import annotations

import copy
import random
from dataclasses import dataclass

import torch

from .. import load
from ..errors import ProblemInvalid
from . import oracle, state, tree


@dataclass
class Answer:
    """One run. `tensors`: the outputs, then inputs that the module changed, then buffers that it changed."""

    structure: object
    tensors: list[torch.Tensor]
    changed_inputs: list[int]
    changed_buffers: list[str]


@dataclass
class Selection:
    """An index output and what it selects from, in float64."""

    source: torch.Tensor
    dim: int | None
    keepdim: bool


class Reference:
    """Makes modules and inputs from the problem's file. Raises ProblemInvalid with what is wrong and what to do."""

    def __init__(self, source: str, filename: str, options: dict):
        self.options = options
        self.problem = load.load_problem(source, filename)
        self.random = random.SystemRandom()
        self.init_seed = self.new_seed()
        self.run_seed = self.new_seed() if options["fixedRng"] else None
        self.init = load.construct(self.problem, self.init_seed, options["mode"])[1]
        self.constructor_seed = self.new_seed()
        self.as_made = self.construct()
        self.structure, first = self.draw(self.new_seed())
        self.shapes = [(tuple(t.shape), t.dtype) for t in first]

    def new_seed(self) -> int:
        return self.random.randrange(1 << 48)

    def construct(self) -> torch.nn.Module:
        arguments = copy.deepcopy(self.init)
        _seed(self.constructor_seed)
        module = load.attempt("Model(...)", lambda: self.problem.Model(*arguments), self.problem, "run it in Python first")
        if self.options["mode"] != "as-is":
            module.train(self.options["mode"] == "train")
        return module

    def perturbed(self) -> torch.nn.Module:
        module = copy.deepcopy(self.as_made)
        torch.manual_seed(self.new_seed())
        state.perturb(module)
        return module

    def draw(self, seed: int) -> tuple[object, list[torch.Tensor]]:
        """Inputs under a seed: their structure and tensors."""
        random.seed(seed)
        structure, tensors = tree.flatten(load.draw_inputs(self.problem, seed))
        tensors = [tensor.detach() for tensor in tensors]
        if hasattr(self, "shapes") and [(tuple(t.shape), t.dtype) for t in tensors] != self.shapes:
            raise ProblemInvalid("get_inputs() gives other shapes or dtypes from call to call", todo="make them constant")
        return structure, tensors

    def run(self, module: torch.nn.Module, tensors: list[torch.Tensor], watch=None) -> Answer:
        """At the chosen level. The module is copied, so that nothing it keeps reaches the next run."""
        module = copy.deepcopy(module)
        given = [tensor.detach().clone() for tensor in tensors]  # strides are kept where they are dense
        return self._run(module, tensors, given, watch)

    def run_float64(self, module: torch.nn.Module, tensors: list[torch.Tensor]) -> tuple[Answer, oracle.Accumulations]:
        """Promoted. Raises RuntimeError or MemoryError where float64 does not fit."""
        module = copy.deepcopy(module)
        module._apply(lambda t: t.double() if t.dtype in oracle.LOW else t)  # tensors kept elsewhere are promoted on use
        exact = [oracle.promoted(tensor) if tensor.dtype in oracle.LOW else tensor.clone() for tensor in tensors]
        before = [tensor.clone() for tensor in exact]
        watch = oracle.Accumulations()
        draws = next((t.dtype for t in tensors if t.is_floating_point()), torch.float32)
        with oracle.float64(draws):
            answer = self._run(module, before, exact, watch)
        return answer, watch

    def _run(self, module, before: list, given: list, watch) -> Answer:
        kept = state.tensors(module)
        start = {name: value.clone() for name, value in kept.items()}
        if self.run_seed is not None:
            _seed(self.run_seed)
        arguments = tree.unflatten(self.structure, given)
        with torch.no_grad():
            if watch is None:
                result = module(*arguments)
            else:
                with watch:
                    result = module(*arguments)
        structure, outputs = tree.flatten(result)
        outputs = [output.detach() for output in outputs]
        now = state.tensors(module)
        buffers = [name for name in start if not same(start[name], now[name])]
        inputs = [i for i, (old, new) in enumerate(zip(before, given)) if not same(old, new)]
        return Answer(structure, [*outputs, *(given[i] for i in inputs), *(now[name] for name in buffers)], inputs, buffers)


def _seed(value: int) -> None:
    torch.manual_seed(value)
    random.seed(value)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal, NaN to NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if torch.equal(a, b):
        return True
    return a.is_floating_point() and bool(((a == b) | (a.isnan() & b.isnan())).all())
