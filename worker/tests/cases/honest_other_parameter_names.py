# task: linear
# expect: valid
# why: same draws in the same order under other names: parameters by seed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.fc = nn.Linear(inner, outer)
        self.ln = nn.LayerNorm(outer)

    def forward(self, x):
        return self.ln(self.fc(x).clamp(min=0))
