# task: matmul
# expect: nondeterministic
# why: another answer on each call.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return A @ B + torch.randn(A.shape[0], B.shape[1])
