# task: matmul
# expect: memory-error
# why: an allocation that cannot succeed.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return torch.empty(1 << 48)[0] + A @ B
