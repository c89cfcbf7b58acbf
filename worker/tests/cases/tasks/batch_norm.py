import torch
import torch.nn as nn


class Model(nn.Module):
    """In training mode: running statistics change, so they are outputs too."""

    def __init__(self, channels: int):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs():
    return [torch.randn(8, 12, 31, 33) + 1]


def get_init_inputs():
    return [12]
