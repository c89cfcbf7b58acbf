# task: matmul
# expect: wrong-interface
# why: the class has another name.
import torch


class FastModel(torch.nn.Module):
    def forward(self, A, B):
        return A @ B
