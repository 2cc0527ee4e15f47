# runs: make_callable make_inputs
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
        return self.decoder(encoded.hidden, shapes=encoded.shapes), encoded.shapes


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5)],), {}), (([torch.randn(2, 4, 4, 5), torch.randn(2, 4, 2, 3)],), {})]


# output
import functools
from dataclasses import dataclass

import torch
from torch import nn


def _ints(values, depth):
    """The ints in `depth` nested lists, as tuples; None outside of compiled code, and for anything else."""
    if not torch.compiler.is_compiling():
        return None
    if depth > 0:
        parts = [_ints(v, depth - 1) for v in values] if isinstance(values, (list, tuple)) else [None]
        return None if any(p is None for p in parts) else tuple(parts)
    return values if isinstance(values, int) and not isinstance(values, bool) else None


def _keep_ints(tensor, ints):
    """The tensor, which carries the ints that it is made of where compiled code makes it."""
    if ints is not None:
        tensor._ints = ints
    return tensor


def _kept_ints(tensor):
    """The ints that a tensor carries, where compiled code reads them; the tensor otherwise."""
    ints = getattr(tensor, "_ints", None) if torch.compiler.is_compiling() else None
    return tensor if ints is None else ints


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
        shapes = _keep_ints(torch.tensor(shapes, dtype=torch.long, device=flat.device), _ints(shapes, 2))
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
            shape = (_kept_ints(shapes)[0][0], _kept_ints(shapes)[0][1])
            hidden = hidden + self._bias(hidden, shape)[None, :, None]
        return self.proj(hidden)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def forward(self, maps):
        encoded = self.encoder(maps)
        return self.decoder(encoded.hidden, shapes=encoded.shapes), encoded.shapes


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5)],), {}), (([torch.randn(2, 4, 4, 5), torch.randn(2, 4, 2, 3)],), {})]
