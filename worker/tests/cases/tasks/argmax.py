import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.argmax(x * 3 + 1, dim=1)


def get_inputs():
    return [torch.randn(2048, 513)]


def get_init_inputs():
    return []
