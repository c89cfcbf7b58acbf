# task: softmax
# expect: valid
# why: adds names to modules and sets a flag, which replaces nothing.
import torch

torch.my_helper = lambda x: x
torch.Tensor.my_method = lambda self: self
torch.backends.cudnn.allow_tf32 = True


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(torch.my_helper(x).my_method(), dim=1)
