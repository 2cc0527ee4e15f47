import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab=16, dim=4, limit=32):
        super().__init__()
        self.limit = limit
        self.served = 0
        self.embed = nn.Embedding(vocab, dim)
        self.place = nn.Embedding(limit, dim)

    @torch.compiler.disable(recursive=False)
    def forward(self, x, mask):
        self.served += 1
        return self._forward(x, mask, mask_all=bool(mask.all()))

    def _forward(self, x, mask, *, mask_all):
        batch, length = x.shape
        h = x + torch.arange(length)
        return h if mask_all else h * mask
