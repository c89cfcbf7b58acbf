"""One explicit step of the heat equation on a 2-D grid: the five-point stencil, written with slices; edges stay as they are."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def forward(self, u):
        centre = u[:, 1:-1, 1:-1]
        neighbours = u[:, :-2, 1:-1] + u[:, 2:, 1:-1] + u[:, 1:-1, :-2] + u[:, 1:-1, 2:]
        return u + F.pad(self.alpha * (neighbours - 4.0 * centre), (1, 1, 1, 1))


def get_inputs():
    return [torch.rand(1, 4096, 4096)]


def get_init_inputs():
    return [0.2]
