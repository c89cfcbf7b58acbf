# task: matmul
# expect: valid
# why: keeps a workspace, returns fresh memory.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.workspace = None

    def forward(self, A, B):
        if self.workspace is None:
            self.workspace = torch.empty(B.shape[1], B.shape[0])
        self.workspace.copy_(B.t())
        return A @ self.workspace.t()
