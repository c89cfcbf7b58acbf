# task: linear
# expect: wrong-interface
# why: takes fewer constructor arguments than the reference.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()

    def forward(self, x):
        return x
