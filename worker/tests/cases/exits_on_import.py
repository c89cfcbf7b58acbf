# task: matmul
# expect: no-evidence
# why: leaves by SystemExit while it is imported.
import sys

import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return A @ B


sys.exit(0)
