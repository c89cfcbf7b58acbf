# task: matmul
# expect: deferred
# why: a thread fills the output after the call has returned.
import threading
import time

import torch


def later(out, A, B):
    time.sleep(0.05)
    torch.mm(A, B, out=out)


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        out = torch.empty(A.shape[0], B.shape[1])
        threading.Thread(target=later, args=(out, A.clone(), B.clone())).start()
        return out
