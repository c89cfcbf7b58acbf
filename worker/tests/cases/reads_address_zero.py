# task: matmul
# expect: memory-error
# why: a segmentation fault.
import ctypes

import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        ctypes.string_at(0)
        return A @ B
