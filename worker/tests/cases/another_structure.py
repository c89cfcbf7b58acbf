# task: matmul
# expect: wrong-interface
# why: returns a tuple.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return (A @ B,)
