"""The error budget: how far an output may be from the float64 answer. See the Numerics section of the documentation.

Per output:  rms(e)  <= 4 max(rms(e_level), u max(1, sqrt(min(L, 65536)) / 3) rms(y64)), the same for the maximum,
and again within each factor-1000 band of |y64| that holds 1 % of the elements or more. e = |x - y64|, e_level the
reference's own error at the chosen level, u its unit round-off, L the longest accumulation.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch

CHUNK = 1 << 20
UNIT = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}
LEVEL_UNIT = {"strict": 0.0, "tf32": 2.0**-11, "bf16": 2.0**-8, "fp16": 2.0**-11}
FACTOR = 4.0
SHARE = 0.01  # of the elements: below it, a band has no budget of its own
FEW = 1000  # elements: below it, errors are pooled over the seeds of a variant


def unit_roundoff(dtype: torch.dtype, level: str) -> float:
    """u of an output: that of its dtype, or of the level where that is coarser."""
    return max(UNIT.get(dtype, 2.0**-24), LEVEL_UNIT[level])


@dataclass
class Measure:
    """Sums over one band of one output."""

    count: int = 0
    squares: float = 0.0
    most: float = 0.0

    def add(self, values: torch.Tensor) -> None:
        if values.numel():
            self.count += values.numel()
            self.squares += float(values.square().sum())
            self.most = max(self.most, float(values.max()))

    @property
    def rms(self) -> float:
        return math.sqrt(self.squares / self.count) if self.count else 0.0


@dataclass
class Budget:
    """What one output (or one pooled group of small ones) is allowed, by band; band -1 is the whole."""

    rms: dict[int, float] = field(default_factory=dict)
    most: dict[int, float] = field(default_factory=dict)
    largest: float = 0.0


@dataclass(frozen=True)
class Excess:
    """The worst finding. `share`: error over budget; more than 1 is over. `place`: flat position of the worst element."""

    share: float
    kind: str = ""
    found: float = 0.0
    allowed: float = 0.0
    place: int = -1


def chunks(*tensors: torch.Tensor):
    flat = [tensor.reshape(-1) for tensor in tensors]
    for start in range(0, flat[0].numel(), CHUNK):
        yield (start, *(tensor[start : start + CHUNK] for tensor in flat))


def band_of(magnitude: torch.Tensor, largest: float) -> torch.Tensor:
    """0 for the top factor of 1000 below `largest`, 1 for the next …; 127 for zeros."""
    ratio = largest / magnitude
    band = (ratio.log10() / 3).floor().clamp(0, 100).nan_to_num(nan=127, posinf=127)
    return torch.where(magnitude == 0, torch.full_like(band, 127), band).to(torch.int8)


def make_budget(exact: torch.Tensor, reference: torch.Tensor, unit: float, longest: int, slack: float = 1.0) -> Budget:
    """`exact`: float64. `reference`: the reference's own output at the chosen level. `slack`: 2 where there is no oracle."""
    finite = torch.isfinite(exact) & torch.isfinite(reference.double())
    y = torch.where(finite, exact, torch.zeros_like(exact))
    largest = float(y.abs().max()) if y.numel() else 0.0
    values: dict[int, Measure] = {-1: Measure()}
    errors: dict[int, Measure] = {-1: Measure()}
    for _, ys, xs, fine in chunks(y, reference, finite):
        magnitude = ys.abs()
        error = torch.where(fine, (xs.double() - ys).abs(), torch.zeros_like(ys))
        values[-1].add(magnitude)
        errors[-1].add(error)
        bands = band_of(magnitude, largest) if largest else torch.full_like(ys, 127, dtype=torch.int8)
        low = int(bands.min())
        if low == int(bands.max()):
            present = [low]
        else:
            present = torch.unique(bands).tolist()
        for band in present:
            here = magnitude if len(present) == 1 else magnitude[bands == band]
            wrong = error if len(present) == 1 else error[bands == band]
            values.setdefault(band, Measure()).add(here)
            errors.setdefault(band, Measure()).add(wrong)
    growth = max(1.0, math.sqrt(min(longest, 65536)) / 3)
    budget = Budget(largest=largest)
    for band, measure in values.items():
        whole = band == -1
        if not whole and (band == 127 or measure.count < SHARE * exact.numel() or measure.count == exact.numel()):
            continue
        budget.rms[band] = slack * FACTOR * max(errors[band].rms, unit * growth * measure.rms)
        budget.most[band] = slack * FACTOR * max(errors[band].most, unit * growth * measure.most)
    return budget


def compare(found: torch.Tensor, exact: torch.Tensor, budget: Budget, pooled: bool = False) -> Excess:
    """Every element, in chunks. A NaN or infinity where the answer, in the output's dtype, has none is over any budget.

    `pooled`: these are a few of the elements that the budget is for, so only the largest error can be judged yet.
    """
    errors: dict[int, Measure] = {band: Measure() for band in budget.rms}
    banded = len(budget.rms) > 1
    worst_place, worst_error = -1, -1.0
    for start, xs, ys in chunks(found, exact):
        x = xs.double()
        error = (x - ys).abs()
        total = float(error.sum())
        if not math.isfinite(total):
            want = ys.to(found.dtype).double()
            same = (x == want) | (torch.isnan(x) & torch.isnan(want))
            bad = ~same & ~(torch.isfinite(x) & torch.isfinite(want))
            if bool(bad.any()):
                place = start + int(bad.to(torch.uint8).argmax())
                return Excess(math.inf, "non-finite", math.inf, 0.0, place)
            odd = ~torch.isfinite(error) | (same & ~torch.isfinite(want))
            error = torch.where(odd, torch.zeros_like(error), error)
        errors[-1].add(error)
        if errors[-1].most > worst_error:
            worst_error = errors[-1].most
            worst_place = start + int(error.argmax())
        if banded:
            bands = band_of(torch.where(torch.isfinite(ys), ys, torch.zeros_like(ys)).abs(), budget.largest)
            for band in budget.rms:
                if band != -1:
                    errors[band].add(error[bands == band])
    worst = Excess(0.0, place=worst_place)
    for band, measure in errors.items():
        for kind, value, allowed in (("rms", measure.rms, budget.rms[band]), ("largest", measure.most, budget.most[band])):
            if pooled and kind == "rms":
                continue
            share = value / allowed if allowed > 0 else (0.0 if value == 0 else math.inf)
            if share > worst.share or worst.kind == "":
                label = kind if band == -1 else f"{kind} (values {10.0 ** (-3 * band - 3):.0e} to {10.0 ** (-3 * band):.0e} of the largest)"
                worst = Excess(share, label, value, allowed, worst_place)
    return worst


def exactly(found: torch.Tensor, wanted: list[torch.Tensor]) -> Excess:
    """Booleans and integers: equal to the oracle's or to the reference's."""
    same = torch.zeros(found.shape, dtype=torch.bool)
    for want in wanted:
        same |= found == want
    if bool(same.all()):
        return Excess(0.0, "exact")
    place = int((~same).reshape(-1).to(torch.uint8).argmax())
    return Excess(math.inf, "exact", float((~same).sum()), 0.0, place)


def allclose(found: torch.Tensor, reference: torch.Tensor, tolerance: float) -> Excess:
    """KernelBench's test: |x - y| <= tolerance (1 + |y|) in each element, against the reference as it runs."""
    x, y = found.double(), reference.double()
    share = ((x - y).abs() / (tolerance * (1 + y.abs()))).reshape(-1)
    share = torch.where((x == y).reshape(-1) | (torch.isnan(x) & torch.isnan(y)).reshape(-1), torch.zeros_like(share), share)
    share = share.nan_to_num(nan=math.inf, posinf=math.inf)
    if share.numel() == 0:
        return Excess(0.0, "allclose")
    place = int(share.argmax())
    return Excess(float(share[place]), "allclose", float((x - y).abs().reshape(-1)[place]), tolerance * (1 + float(y.abs().reshape(-1)[place])), place)
