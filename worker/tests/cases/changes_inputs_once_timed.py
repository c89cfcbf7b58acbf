# task: relu_of_positive
# expect: input-mutated
# why: works in place on its input after the first calls.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls > 24:
            x.clamp_(min=0)
            y = x * 2
            x.add_(1)
            return y
        return torch.relu(x) * 2
