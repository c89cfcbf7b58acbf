# task: softmax
# expect: incorrect
# why: one over the row length.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.full_like(x, 1.0 / x.shape[1])
