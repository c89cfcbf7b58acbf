"""Cross entropy with label smoothing, from logits to one number: an integer input and a scalar output."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, smoothing):
        super().__init__()
        self.smoothing = smoothing

    def forward(self, logits, labels):
        log_p = torch.log_softmax(logits, dim=-1)
        chosen = log_p.gather(1, labels.unsqueeze(1)).squeeze(1)
        return -((1.0 - self.smoothing) * chosen + self.smoothing * log_p.mean(dim=-1)).mean()


def get_inputs():
    return [torch.randn(4096, 4096), torch.randint(0, 4096, (4096,))]


def get_init_inputs():
    return [0.1]
