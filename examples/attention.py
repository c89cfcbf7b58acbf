"""A small causal self-attention block, written out: projections, scores, mask, softmax, values, output projection."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, heads, length):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(features, 3 * features)
        self.out = nn.Linear(features, features)
        self.register_buffer("causal", torch.ones(length, length).tril() == 0)

    def forward(self, x):
        batch, length, features = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, features // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) / math.sqrt(features // self.heads)
        weights = torch.softmax(scores.masked_fill(self.causal, float("-inf")), dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, features))


def get_inputs():
    return [torch.randn(4, 512, 256)]


def get_init_inputs():
    return [256, 8, 512]
