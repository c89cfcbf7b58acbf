# task: matmul
# expect: valid
# why: right values, other strides.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return (B.t() @ A.t()).t()
