"""One Adam update without side effects: four tensors in, three out, all of it pointwise."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, lr, beta1, beta2, eps, step):
        super().__init__()
        self.lr, self.beta1, self.beta2, self.eps, self.step = lr, beta1, beta2, eps, step

    def forward(self, parameter, gradient, mean, variance):
        mean = self.beta1 * mean + (1.0 - self.beta1) * gradient
        variance = self.beta2 * variance + (1.0 - self.beta2) * gradient * gradient
        corrected = mean / (1.0 - self.beta1**self.step)
        spread = torch.sqrt(variance / (1.0 - self.beta2**self.step))
        return parameter - self.lr * corrected / (spread + self.eps), mean, variance


def get_inputs():
    shape = (2048, 2048)
    return [torch.randn(shape), torch.randn(shape), torch.randn(shape), torch.rand(shape)]


def get_init_inputs():
    return [1e-3, 0.9, 0.999, 1e-8, 10]
