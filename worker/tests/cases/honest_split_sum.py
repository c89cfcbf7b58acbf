# task: matmul
# expect: valid
# why: another order of summation.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        k = A.shape[1] // 2
        return A[:, :k] @ B[:k] + A[:, k:] @ B[k:]
