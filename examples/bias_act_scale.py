"""What follows a linear layer: add a bias, apply SiLU, scale each channel."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))
        self.scale = nn.Parameter(torch.rand(features) + 0.5)

    def forward(self, x):
        y = x + self.bias
        return y * torch.sigmoid(y) * self.scale


def get_inputs():
    return [torch.randn(16384, 1024)]


def get_init_inputs():
    return [1024]
