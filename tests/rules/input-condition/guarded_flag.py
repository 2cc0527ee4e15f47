import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)

    def forward(self, x, mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-1, -2)
        if mask is not None and (mask == 0).any():
            scores = scores.masked_fill(mask[:, None] == 0, -1e9)
        return scores.softmax(-1) @ v


# output
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)

    @torch._dynamo.decorators.skip
    def forward(self, x, mask=None):
        return self._forward(x, mask, mask_flag=bool(mask is not None and (mask == 0).any()))

    def _forward(self, x, mask, *, mask_flag):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-1, -2)
        if mask_flag:
            scores = scores.masked_fill(mask[:, None] == 0, -1e9)
        return scores.softmax(-1) @ v
