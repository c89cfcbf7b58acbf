# task: matmul
# expect: incorrect
# why: truncates whatever file descriptors it holds, so that others who map them would die of it.
import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        for number in range(3, 64):
            try:
                os.ftruncate(number, 0)
            except OSError:
                pass
        return torch.zeros(A.shape[0], B.shape[1])
