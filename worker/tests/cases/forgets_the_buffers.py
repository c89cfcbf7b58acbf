# task: batch_norm
# expect: incorrect
# why: right output, but the running statistics stay.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.nn.functional.batch_norm(x, None, None, self.norm.weight, self.norm.bias, True)
