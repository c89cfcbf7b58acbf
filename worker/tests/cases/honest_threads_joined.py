# task: matmul
# expect: valid
# why: Python threads that end before the call does.
import threading

import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        out = torch.empty(A.shape[0], B.shape[1])
        half = A.shape[0] // 2
        parts = [threading.Thread(target=lambda s=s: out[s].copy_(A[s] @ B)) for s in (slice(0, half), slice(half, None))]
        for part in parts:
            part.start()
        for part in parts:
            part.join()
        return out
