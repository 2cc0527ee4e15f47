import torch
from torch import nn


class Merger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)

    def forward(self, ids, limit):
        h = self.embed(ids)
        share = h.mean().item()
        if share > 0.5:
            raise ValueError(f"{share!r} is more than a half")
        count = (h > 0).sum().item()
        if count * 2 > limit:
            raise ValueError("too many")
        return h * 2
