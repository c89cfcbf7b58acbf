# task: matmul
# expect: stale
# why: keys a memo on a few of the values, so that rotated sets are looked up from the second round on.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.memo = {}

    def forward(self, A, B):
        key = tuple(A[0, :8].tolist() + B[0, :8].tolist())
        if key not in self.memo:
            self.memo[key] = A @ B
        return self.memo[key]
