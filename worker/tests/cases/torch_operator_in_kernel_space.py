# task: matmul
# expect: outside-space
# space: kernel
# why: right and fast, by an operator that the space does not allow.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return torch.mm(A, B)
