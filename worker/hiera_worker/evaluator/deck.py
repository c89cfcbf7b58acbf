"""The cases that every candidate is tried on: inputs, float64 answers, budgets. Made once, kept by the judge alone."""
from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import torch

from .. import load
from ..errors import ProblemInvalid
from . import numerics, planted, tree, variants
from .numerics import Budget, Excess
from .reference import Answer, Reference, Selection

KERNELBENCH = {torch.float32: 1e-4, torch.float64: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}


@dataclass
class Expected:
    """What one output should be. `exact`: float64, or the integers of the oracle. `reference`: the reference's own."""

    exact: torch.Tensor
    reference: torch.Tensor
    dtype: torch.dtype
    selection: Selection | None = None
    budget: Budget | None = None
    coarse: Budget | None = None
    pooled: bool = False
    index_allowance: float = 0.0

    @property
    def floating(self) -> bool:
        return self.dtype.is_floating_point


@dataclass
class Case:
    variant: str
    weights: int
    inputs: list[torch.Tensor]
    expected: list[Expected] = field(default_factory=list)


@dataclass
class Outputs:
    """The form of an answer: structure, a name for each tensor, and which tensors are changed inputs or buffers."""

    structure: object
    names: list[str]
    shapes: list[tuple]
    dtypes: list[torch.dtype]
    results: int
    changed_inputs: list[int]
    changed_buffers: list[str]


class Deck:
    """Raises ProblemInvalid where the problem itself cannot be judged."""

    def __init__(self, reference: Reference, weights: list, memory: int, effort: str = "full"):
        self.reference, self.weights = reference, weights
        self.seconds = 0.0  # one call of the reference here, as first seen: the measure for limits
        self.level = reference.options["precision"]
        self.checks: list[str] = []
        self.longest, self.slack = 1, 1.0
        self.cases: list[Case] = []
        first = self._first_case()
        small = min((math.prod(shape) for shape in self.outputs.shapes), default=0) < numerics.FEW
        big = sum(t.numel() for t in first.inputs) + sum(math.prod(s) for s in self.outputs.shapes) > 4 << 20
        size = sum(t.numel() * t.element_size() for t in first.inputs) + sum(24 * math.prod(s) for s in self.outputs.shapes)
        room = max(2, int(memory // max(size, 1)))
        self._fill(first, own=2 if big else 4 if small else 3, others=2 if small and not big else 1, room=room)
        self._check_planted()
        self.checks.append("oracle: float64" if self.slack == 1 else "oracle: reduced")

    def _first_case(self) -> Case:
        reference = self.reference
        structure, inputs = reference.draw(reference.new_seed())
        torch.manual_seed(reference.new_seed())
        started = time.monotonic()
        answer = self._run(reference.as_made, inputs)
        self.seconds = time.monotonic() - started
        torch.manual_seed(reference.new_seed())
        second = self._run(reference.as_made, inputs)
        results = len(tree.flatten(tree.unflatten(answer.structure, answer.tensors))[1])
        if not results:
            raise ProblemInvalid("forward returns no tensor", todo="return a tensor, or a tuple, list or dict of tensors")
        names = [f"output{name}" if name else "output" for name in tree.names(answer.structure)]
        self.outputs = Outputs(
            answer.structure,
            [*names, *(f"input {i} after the call" for i in answer.changed_inputs), *(f"buffer {n}" for n in answer.changed_buffers)],
            [tuple(t.shape) for t in answer.tensors],
            [t.dtype for t in answer.tensors],
            results,
            answer.changed_inputs,
            answer.changed_buffers,
        )
        for name, a, b in zip(self.outputs.names, answer.tensors, second.tensors):
            if a.is_complex():
                raise ProblemInvalid(f"{name} is complex, which cannot be compared here", todo="return torch.view_as_real of it")
            if a.shape != b.shape:
                raise ProblemInvalid(f"random: {name} has another shape from call to call", todo="make it deterministic")
            if not self._finite(a):
                raise ProblemInvalid(f"{name} of the reference has NaN or infinite values", todo="change get_inputs() so that it stays finite")
            if not _repeats(a, b):
                raise ProblemInvalid(f"random: {name} differs between two RNG states", todo="use --fixed-rng, or remove the randomness")
        case = Case(variants.OWN, 0, inputs)
        if not self._answer(case):
            if self.weights[0] is not reference.as_made:
                self.weights[:] = [reference.as_made]
                self.checks.append("parameters: as made (perturbed ones are not finite)")
            if not self._answer(case):
                raise ProblemInvalid("the reference has NaN or infinite values in float64", todo="change get_inputs() so that it stays finite")
        return case

    def _run(self, module, inputs) -> Answer:
        problem = self.reference.problem
        return load.attempt("forward", lambda: self.reference.run(module, inputs), problem, "run it in Python first")

    def _finite(self, tensor: torch.Tensor) -> bool:
        return not tensor.is_floating_point() or bool(torch.isfinite(tensor).all())

    def _fill(self, first: Case, own: int, others: int, room: int) -> None:
        self.cases = [first]
        wanted = [(variants.OWN, 0)] * (own - 1)
        wanted += [(name, 0) for name in variants.VARIANTS for _ in range(others)]
        if len(self.weights) > 1:
            wanted.append((variants.OWN, 1))
        dropped: list[str] = []
        for name, weights in wanted:
            if len(self.cases) >= room and name != variants.OWN:
                dropped.append(name)
                continue
            _, drawn = self.reference.draw(self.reference.new_seed())
            inputs = variants.vary(name, drawn)
            if inputs is None:
                continue
            case = Case(name, min(weights, len(self.weights) - 1), inputs)
            try:
                fine = self._answer(case)
            except ProblemInvalid:
                if name == variants.OWN:
                    raise
                fine = False
            if fine:
                self.cases.append(case)
            elif name == variants.OWN and case.weights == 0:
                raise ProblemInvalid("the reference has NaN or infinite values on some inputs", todo="change get_inputs() so that it stays finite")
        if dropped:
            self.checks.append(f"variants left out for memory: {', '.join(dict.fromkeys(dropped))}")
        self._budgets()

    def _answer(self, case: Case) -> bool:
        """Fills in what `case` should give. False where the reference does not stay finite on it."""
        module = self.weights[case.weights]
        own = self._run(module, case.inputs)
        if [tuple(t.shape) for t in own.tensors] != self.outputs.shapes:
            return False
        if not all(self._finite(tensor) for tensor in own.tensors):
            return False
        exact, selections = self._exact(module, case, own)
        if not all(self._finite(tensor) for tensor in exact):
            return False
        case.expected = [
            Expected(e if e.is_floating_point() or not o.is_floating_point() else e.double(), o, o.dtype, s)
            for e, o, s in zip(exact, own.tensors, selections)
        ]
        return True

    def _exact(self, module, case: Case, own: Answer) -> tuple[list[torch.Tensor], list]:
        if self.slack == 1.0:
            try:
                answer, watch = self.reference.run_float64(module, case.inputs)
                if [tuple(t.shape) for t in answer.tensors] == self.outputs.shapes:
                    self.longest = max(self.longest, watch.longest)
                    return answer.tensors, [_selection(watch, tensor) for tensor in answer.tensors]
            except (MemoryError, RuntimeError, TypeError, NotImplementedError) as error:
                self.checks.append(f"float64 was not possible: {_line(error)}")
            self.slack = 2.0
        return [t.double() if t.is_floating_point() else t for t in own.tensors], [None] * len(own.tensors)

    def _budgets(self) -> None:
        groups: dict[tuple, list[Expected]] = {}
        for number, case in enumerate(self.cases):
            for index, expected in enumerate(case.expected):
                expected.pooled = expected.floating and expected.exact.numel() < numerics.FEW
                groups.setdefault((case.variant if expected.pooled else number, index), []).append(expected)
        for members in groups.values():
            self._budget(members)

    def _budget(self, members: list[Expected]) -> None:
        """One budget for the group: a single large output, or a small one over the seeds of its variant."""
        first = members[0]
        if first.floating:
            exact = torch.cat([m.exact.reshape(-1) for m in members]) if len(members) > 1 else first.exact
            own = torch.cat([m.reference.reshape(-1) for m in members]) if len(members) > 1 else first.reference
            unit = numerics.unit_roundoff(first.dtype, self.level)
            coarse = max(unit, numerics.UNIT[torch.bfloat16])
            first.budget = numerics.make_budget(exact, own, unit, self.longest, self.slack)
            first.coarse = numerics.make_budget(exact, own, coarse, self.longest, self.slack)
        for member in members:
            member.budget, member.coarse = first.budget, first.coarse
            if member.selection is not None:
                unit = max(numerics.UNIT[torch.float32], numerics.LEVEL_UNIT[self.level])
                growth = max(1.0, math.sqrt(min(self.longest, 65536)) / 3)
                member.index_allowance = numerics.FACTOR * unit * growth * float(member.selection.source.abs().max())

    def own_case(self, inputs: list[torch.Tensor]) -> Case:
        """A further case of the problem's own distribution, for the timed calls."""
        case = Case(variants.OWN, 0, inputs)
        if not self._answer(case):
            raise ProblemInvalid("the reference has NaN or infinite values on some inputs", todo="change get_inputs() so that it stays finite")
        like = next((c for c in self.cases if c.variant == variants.OWN), self.cases[0])
        for expected, known in zip(case.expected, like.expected):
            self._budget([expected])
            if known.pooled:
                expected.pooled, expected.budget, expected.coarse = True, known.budget, known.coarse
        return case

    def _check_planted(self) -> None:
        counted, accepted = planted.refused(self)
        names = list(dict.fromkeys(case.variant for case in self.cases))
        self.variants = [name for name in names if name in counted]
        if not self.variants:
            raise ProblemInvalid("constant output: an answer that ignores the inputs passes", todo="make the output depend on the inputs")
        self.cases = [case for case in self.cases if case.variant in self.variants]
        self.checks += [f"budget accepts {name}" for name in accepted]

    def compare(self, case: Case, index: int, found: torch.Tensor, coarse: bool = False) -> Excess:
        """One output of one case; of a small one, whose errors are pooled, the largest error only."""
        expected = case.expected[index]
        if not expected.floating:
            return _compare_exact(found, expected)
        if self.reference.options["tolerance"] == "kernelbench":
            return numerics.allclose(found, expected.reference, KERNELBENCH.get(expected.dtype, 1e-4))
        budget = expected.coarse if coarse else expected.budget
        assert budget is not None
        return numerics.compare(found, expected.exact, budget, expected.pooled)


def _compare_exact(found: torch.Tensor, expected: Expected) -> Excess:
    excess = numerics.exactly(found, [expected.exact.to(found.dtype), expected.reference])
    if excess.share <= 1 or expected.selection is None:
        return excess
    source, dim = expected.selection.source, expected.selection.dim
    flat = found.reshape(-1) if dim is None else found
    if dim is None:
        source, dim = source.reshape(-1), 0
    elif not expected.selection.keepdim and flat.dim() == source.dim() - 1:
        flat = flat.unsqueeze(dim)
    limit = source.shape[dim] if source.dim() else 1
    outside = (flat < 0) | (flat >= limit)
    if bool(outside.any()):
        return excess
    right = expected.exact.reshape(flat.shape)
    gap = (source.gather(dim, flat.long()) - source.gather(dim, right.long())).abs()
    worst = float(gap.max())
    share = worst / expected.index_allowance if expected.index_allowance else (0.0 if worst == 0 else math.inf)
    return Excess(share, "selected value", worst, expected.index_allowance, int(gap.reshape(-1).argmax()))


def _selection(watch, tensor: torch.Tensor) -> Selection | None:
    if tensor.is_floating_point() or tensor.data_ptr() not in watch.selections:
        return None
    source, dim, keepdim, name = watch.selections[tensor.data_ptr()]
    source = source.detach()
    if not source.is_floating_point():
        return None
    if name in ("topk", "sort", "argsort"):
        keepdim = True
    return Selection(source.clone(), dim, keepdim)


def _repeats(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal but for the order of a parallel sum."""
    if not a.is_floating_point():
        return torch.equal(a, b)
    gap = (a.double() - b.double()).abs()
    return gap.numel() == 0 or float(gap.max()) <= 1e-4 * max(float(a.double().abs().max()), 1e-30)


def _line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:200] if text else ""
