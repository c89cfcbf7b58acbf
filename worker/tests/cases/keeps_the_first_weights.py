# task: linear
# expect: stale | incorrect
# why: packs weights once and never looks at them again.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.linear = nn.Linear(inner, outer)
        self.norm = nn.LayerNorm(outer)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = self.linear.weight.detach().t().contiguous()
        return self.norm(torch.relu(x @ self.packed + self.linear.bias))
