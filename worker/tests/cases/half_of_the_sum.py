# task: matmul
# expect: incorrect
# why: sums half of the products and doubles the result.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        k = A.shape[1] // 2
        return 2 * (A[:, :k] @ B[:k])
