# task: matmul
# expect: runtime-error
# why: an exception with a line to look at.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        raise ValueError("tile does not divide the rows")
