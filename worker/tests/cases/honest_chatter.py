# task: softmax
# expect: valid
# why: prints more than anyone reads.
import sys

import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        print("x" * 3_000_000)

    def forward(self, x):
        print("calling", file=sys.stderr)
        return torch.softmax(x, dim=1)
