"""A two-layer perceptron with GELU between: two matrix products that a vendor library does well, and what lies between."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.act = nn.GELU()
        self.down = nn.Linear(hidden, features)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


def get_inputs():
    return [torch.randn(2048, 256)]


def get_init_inputs():
    return [256, 1024]
