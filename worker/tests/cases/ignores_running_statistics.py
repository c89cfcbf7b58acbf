# task: batch_norm_evaluated
# expect: incorrect | imprecise
# why: fresh statistics are zero and one, so that leaving them out changes nothing until a trained state_dict is loaded.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(8, affine=False)

    def forward(self, x):
        return x / (1 + 1e-5) ** 0.5
