"""Wrong answers that the budget itself must refuse; where it accepts a constant, the case says nothing."""
from __future__ import annotations

import torch

SAMPLE = 1 << 20


def _zeros(deck, case, index, expected):
    return torch.zeros_like(expected.reference)


def _mean(deck, case, index, expected):
    y = expected.exact
    return torch.full_like(y, float(y.mean())).to(expected.dtype) if expected.floating and y.numel() > 1 else None


def _rows(deck, case, index, expected):
    """Rank one: each row its mean."""
    y = expected.exact
    if not expected.floating or y.dim() < 2 or y.shape[-1] < 2:
        return None
    return y.mean(-1, keepdim=True).expand_as(y).to(expected.dtype)


def _other(deck, case, index, expected):
    """The answer to other inputs."""
    others = [other for other in deck.cases if other is not case]
    others.sort(key=lambda other: (other.variant != case.variant, other.weights != case.weights))
    return others[0].expected[index].reference if others else None


def _input(deck, case, index, expected):
    for tensor in case.inputs:
        if tensor.shape == expected.exact.shape and tensor.dtype == expected.dtype:
            return tensor
    return None


#: must be refused for a variant to count
DECISIVE = {"zeros": _zeros, "another input's answer": _other}
#: said where the budget accepts it
TOLD = {"the mean": _mean, "row means": _rows, "a copied input": _input}


def refused(deck) -> tuple[set[str], list[str]]:
    """Variants that count, and the names of planted answers that some counting case accepts."""
    accepts: dict[str, set[str]] = {}
    for case in deck.cases:
        found = accepts.setdefault(case.variant, set())
        for name, make in {**DECISIVE, **TOLD}.items():
            if _accepted(deck, case, make):
                found.add(name)
        if not case.weights and _accepts_low_precision(deck, case):
            found.add("operands rounded to bfloat16")
    independent = not any(case.inputs for case in deck.cases)  # nothing to depend on
    decisive = set(DECISIVE) - ({"another input's answer"} if independent else set())
    if independent and len(deck.weights) == 1:
        decisive = set()
    counted = {variant for variant, found in accepts.items() if not found & decisive}
    return counted, sorted(set().union(*(accepts[v] for v in counted)) if counted else set())


def _accepted(deck, case, make) -> bool:
    """Every output takes it."""
    tried = False
    for index, expected in enumerate(case.expected):
        wrong = make(deck, case, index, expected)
        if wrong is None:
            continue
        tried = True
        if not _passes(deck, case, index, wrong):
            return False
    return tried


def _passes(deck, case, index, wrong: torch.Tensor) -> bool:
    """On a sample of evenly spaced elements: a planted answer is wrong everywhere."""
    expected = case.expected[index]
    if not expected.floating or expected.exact.numel() <= SAMPLE:
        return deck.compare(case, index, wrong).share <= 1
    step = expected.exact.numel() // SAMPLE
    from .numerics import compare

    return compare(wrong.reshape(-1)[::step], expected.exact.reshape(-1)[::step], expected.budget).share <= 1


def _accepts_low_precision(deck, case) -> bool:
    if deck.level != "strict" or case is not next(c for c in deck.cases if c.variant == "own"):
        return False
    rounded = [t.bfloat16().to(t.dtype) if t.is_floating_point() else t for t in case.inputs]
    try:
        answer = deck.reference.run(deck.weights[case.weights], rounded)
    except Exception:  # a domain error on rounded inputs says nothing about the budget
        return False
    return all(_passes(deck, case, index, tensor) for index, tensor in enumerate(answer.tensors))
