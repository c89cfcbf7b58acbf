# task: relu_of_positive
# expect: incorrect
# why: leaves out what the problem's own distribution never needs.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * 2
