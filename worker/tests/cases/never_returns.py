# task: matmul
# expect: timeout
# why: an endless loop.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        while True:
            pass
