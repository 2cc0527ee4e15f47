# refuses: `encoded.shapes` is changed in place on line
# flags: --unsafe-fixes
import functools
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Encoded:
    hidden: torch.Tensor
    shapes: torch.Tensor


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def forward(self, maps):
        shapes = []
        for features in maps:
            height, width = features.shape[-2:]
            shapes.append((height, width))
        flat = torch.cat([m.flatten(2).transpose(1, 2) for m in maps], 1)
        shapes = torch.tensor(shapes, dtype=torch.long, device=flat.device)
        return Encoded(hidden=self.proj(flat), shapes=shapes)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    @functools.lru_cache(maxsize=1)
    def _coords(self, height: torch.Tensor, width: torch.Tensor, dtype):
        return torch.arange(0, height, dtype=dtype) / height, torch.arange(0, width, dtype=dtype) / width

    def _bias(self, boxes, shape):
        height, width = shape
        rows, columns = self._coords(height, width, dtype=boxes.dtype)
        return boxes.sum() * (rows[:, None] + columns).flatten()

    def forward(self, hidden, shapes=None):
        if shapes is not None and shapes.shape[0] == 1:
            shape = (shapes[0, 0], shapes[0, 1])
            hidden = hidden + self._bias(hidden, shape)[None, :, None]
        return self.proj(hidden)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def forward(self, maps):
        encoded = self.encoder(maps)
        encoded.shapes.mul_(2)
        return self.decoder(encoded.hidden, shapes=encoded.shapes), encoded.shapes


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5)],), {}), (([torch.randn(2, 4, 4, 5), torch.randn(2, 4, 2, 3)],), {})]
