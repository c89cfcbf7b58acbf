"""The one-liner: a single pass over memory. Eager makes a fresh output page by page; larger pages are all there is to win."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * x


def get_inputs():
    return [torch.randn(4096, 4096)]


def get_init_inputs():
    return []
