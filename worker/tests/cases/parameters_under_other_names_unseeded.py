# task: linear
# expect: incorrect
# why: its own parameters, not those that the reference's constructor draws.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.w = nn.Parameter(torch.randn(outer, inner))

    def forward(self, x):
        return torch.nn.functional.layer_norm(torch.relu(x @ self.w.t()), (self.w.shape[0],))
