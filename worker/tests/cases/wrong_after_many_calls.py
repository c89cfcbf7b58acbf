# task: matmul
# expect: incorrect | stale
# why: right while it is checked, cheap once it is timed.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, A, B):
        self.calls += 1
        if self.calls > 24:
            return torch.zeros(A.shape[0], B.shape[1])
        return A @ B
