import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab=16, dim=4, limit=32):
        super().__init__()
        self.limit = limit
        self.served = 0
        self.embed = nn.Embedding(vocab, dim)
        self.place = nn.Embedding(limit, dim)

    def forward(self, ids, mask):
        batch, length = ids.shape
        return self.embed(ids) + self.place(torch.arange(length))
