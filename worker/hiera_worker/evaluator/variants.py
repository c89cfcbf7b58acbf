"""The same problem on differently distributed floating inputs: what holds on one distribution only is no equality."""
from __future__ import annotations

import torch

OWN = "own"


def _spread(x: torch.Tensor) -> float:
    return float(x.float().std()) if x.numel() > 1 else 0.0


def zero_mean(x: torch.Tensor) -> torch.Tensor | None:
    """None where the mean is small already: it would be `own` again."""
    mean = float(x.float().mean())
    return None if abs(mean) < 0.1 * _spread(x) else x - mean


def scaled(x: torch.Tensor) -> torch.Tensor | None:
    return x * 8


def shifted(x: torch.Tensor) -> torch.Tensor | None:
    return x + 3 * _spread(x)


def heavy_tailed(x: torch.Tensor) -> torch.Tensor | None:
    return x * torch.exp(1.5 * torch.randn(x.shape, dtype=torch.float32)).to(x.dtype)


VARIANTS = {"zero-mean": zero_mean, "scaled": scaled, "shifted": shifted, "heavy-tailed": heavy_tailed}


def vary(name: str, tensors: list[torch.Tensor]) -> list[torch.Tensor] | None:
    """Each floating tensor that varies at all, changed; None where nothing would be."""
    if name == OWN:
        return tensors
    changed, found = [], False
    for tensor in tensors:
        new = VARIANTS[name](tensor) if tensor.is_floating_point() and _spread(tensor) > 0 else None
        found |= new is not None
        changed.append(tensor if new is None else new.to(tensor.dtype))
    return changed if found else None
