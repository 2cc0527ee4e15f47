import torch
from torch import nn


class Model(nn.Module):
    def counts(self, mask: torch.Tensor):
        out = torch.zeros(mask.shape[0], dtype=torch.int64)
        for i, row in enumerate(mask):
            if row.any():
                out[i] = row.nonzero()[0, 0]
        return out

    def forward(self, x, mask):
        return x * self.counts(mask)
