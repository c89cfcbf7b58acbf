import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inner: int, outer: int):
        super().__init__()
        self.linear = nn.Linear(inner, outer)
        self.norm = nn.LayerNorm(outer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(torch.relu(self.linear(x)))


def get_inputs():
    return [torch.randn(512, 192)]


def get_init_inputs():
    return [192, 320]
