# task: softmax
# expect: valid
# why: in-place operators on its own tensors only.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = x - x.amax(1, keepdim=True)
        y.exp_()
        y.div_(y.sum(1, keepdim=True))
        return y
