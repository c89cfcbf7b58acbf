# task: matmul
# expect: compile-error
# why: not Python.
import torch

class ModelNew(torch.nn.Module)
    def forward(self, A, B):
        return A @ B
