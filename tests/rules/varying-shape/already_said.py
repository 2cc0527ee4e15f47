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
    def forward(self, ids, mask):
        torch._dynamo.maybe_mark_dynamic(ids, 1)
        self.served += 1
        return self._forward(ids, mask, mask_all=bool(mask.all()))

    def _forward(self, ids, mask, *, mask_all):
        batch, length = ids.shape
        h = self.embed(ids) + self.place(torch.arange(length))
        return h if mask_all else h * mask[..., None]
