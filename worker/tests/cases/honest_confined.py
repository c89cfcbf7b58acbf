# task: softmax
# expect: valid
# why: looks at what it may see: it must find no key and no way into its parent.
import os

import torch

seen = [name for name in os.environ if "KEY" in name or "TOKEN" in name or "SECRET" in name]
if seen:
    raise PermissionError(f"found {seen}")
if os.getuid() != 0:  # where an unprivileged user was to be had
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/status") as status:
                mine = f"\nUid:\t{os.getuid()}\t" in status.read()
            with open(f"/proc/{pid}/mem", "rb"):
                pass
        except OSError:
            continue
        if not mine:
            raise PermissionError(f"may read the memory of process {pid}")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)
