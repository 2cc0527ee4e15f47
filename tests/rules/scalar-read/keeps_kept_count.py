import torch
from torch import nn


class Merger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.last = 0

    def forward(self, ids, features):
        h = self.embed(ids)
        mask = (h.sum(-1) * 0 + ids) == 7
        n_tokens = mask.sum().item()
        if n_tokens != features.shape[0]:
            raise ValueError(f"{n_tokens} tokens")
        self.last = n_tokens
        return h * 2
