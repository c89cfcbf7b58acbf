# task: argmax
# expect: valid
# why: the last of equals, without the affine map.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.shape[1] - 1 - torch.argmax(x.flip(1), dim=1)
