# task: linear
# expect: valid
# why: packs weights and packs them again when their version moves.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.linear = nn.Linear(inner, outer)
        self.norm = nn.LayerNorm(outer)
        self.packed, self.version = None, None

    def forward(self, x):
        weight = self.linear.weight
        if self.version != (weight.data_ptr(), weight._version):
            self.packed = weight.detach().t().contiguous()
            self.version = (weight.data_ptr(), weight._version)
        return self.norm(torch.relu(torch.addmm(self.linear.bias, x, self.packed)))
