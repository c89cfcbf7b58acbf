"""Parameters and buffers: perturbed copies of what the constructor made, so that no answer rests on initial values."""
from __future__ import annotations

import torch

STAYS_POSITIVE = ("running_var",)
RUNNING = ("running_mean", "running_var")


def perturb(module: torch.nn.Module) -> None:
    """In place. Parameters move by a quarter of their own spread; running statistics likewise; other buffers stay."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.is_floating_point():
                parameter.add_(_noise(parameter))
        for name, buffer in module.named_buffers():
            if not buffer.is_floating_point() or not name.endswith(RUNNING):
                continue
            if name.endswith(STAYS_POSITIVE):
                buffer.mul_(torch.exp(0.25 * torch.randn(buffer.shape)).to(buffer.dtype))
            else:
                buffer.add_(0.25 * torch.randn(buffer.shape).to(buffer.dtype))


def _noise(parameter: torch.Tensor) -> torch.Tensor:
    """A constant one (a bias of zeros, a weight of ones) has no spread of its own: it moves by a tenth."""
    spread = float(parameter.float().std()) if parameter.numel() > 1 else 0.0
    if spread > 0:
        return (0.25 * spread * torch.randn(parameter.shape)).to(parameter.dtype)
    size = max(float(parameter.abs().max()) if parameter.numel() else 0.0, 1.0)
    return (0.1 * size * torch.randn(parameter.shape)).to(parameter.dtype)


def tensors(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """What is copied between the reference and a candidate, by name."""
    return {name: value.detach() for name, value in module.state_dict().items() if isinstance(value, torch.Tensor)}
