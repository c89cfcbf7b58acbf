# task: loss
# expect: valid
# why: scalar, nested structure, indices.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, target, weight):
        top, where = x.max(1)
        norm = (x - top[:, None]).exp().sum(1).log() + top
        picked = x.gather(1, target[:, None])[:, 0]
        return {"loss": (norm - picked).mean() * weight, "mean": (x.sum(0) / x.shape[0], where)}
