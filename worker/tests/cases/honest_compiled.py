# task: softmax
# expect: valid
# needs: compile
# why: torch.compile changes a good deal of torch's own state.
import torch


@torch.compile
def softmax(x):
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return softmax(x)
