# task: batch_norm
# expect: valid
# why: updates the buffers as the reference does, by its own arithmetic.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        n, bn = x.numel() // x.shape[1], self.norm
        mean = x.mean((0, 2, 3))
        var = (x - mean[:, None, None]).square().mean((0, 2, 3))
        bn.num_batches_tracked.add_(1)
        bn.running_mean.lerp_(mean, bn.momentum)
        bn.running_var.lerp_(var * n / (n - 1), bn.momentum)
        scale = bn.weight * torch.rsqrt(var + bn.eps)
        return x * scale[:, None, None] + (bn.bias - mean * scale)[:, None, None]
