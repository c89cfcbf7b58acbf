# task: argmax
# expect: incorrect
# why: the neighbour of the right index.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return (torch.argmax(x, dim=1) + 1) % x.shape[1]
