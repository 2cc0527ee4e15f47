# runs: make_callable make_inputs
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def _coords(self, height: torch.Tensor, width: torch.Tensor, dtype):
        return torch.arange(0, height, dtype=dtype) / height, torch.arange(0, width, dtype=dtype) / width

    def _bias(self, boxes, shape):
        height, width = shape
        rows, columns = self._coords(height, width, dtype=boxes.dtype)
        return boxes.sum() * (rows[:, None] + columns).flatten()

    def forward(self, x):
        sizes = [(m.shape[-2], m.shape[-1]) for m in x]
        flat = torch.cat([m.flatten(2).transpose(1, 2) for m in x], 1)
        shapes = torch.tensor(sizes, dtype=torch.long)
        flat = self.proj(flat)
        if shapes.shape[0] == 1:
            shape = (shapes[0, 0], shapes[0, 1])
            flat = flat + self._bias(flat, shape)[None, :, None]
        return flat, shapes


def make_callable():
    torch.manual_seed(0)
    return Decoder()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5)],), {})]


# output
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


def _mirror(tensor, ints):
    """The ints that a tensor is made of where they are known, the tensor otherwise."""
    return tensor if ints is None else ints


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def _coords(self, height: torch.Tensor, width: torch.Tensor, dtype):
        return torch.arange(0, height, dtype=dtype) / height, torch.arange(0, width, dtype=dtype) / width

    def _bias(self, boxes, shape):
        height, width = shape
        rows, columns = self._coords(height, width, dtype=boxes.dtype)
        return boxes.sum() * (rows[:, None] + columns).flatten()

    def forward(self, x):
        sizes = [(m.shape[-2], m.shape[-1]) for m in x]
        flat = torch.cat([m.flatten(2).transpose(1, 2) for m in x], 1)
        shapes = torch.tensor(sizes, dtype=torch.long)
        shapes_ints = _ints(sizes, 2)
        flat = self.proj(flat)
        if shapes.shape[0] == 1:
            shape = (_mirror(shapes, shapes_ints)[0][0], _mirror(shapes, shapes_ints)[0][1])
            flat = flat + self._bias(flat, shape)[None, :, None]
        return flat, shapes


def make_callable():
    torch.manual_seed(0)
    return Decoder()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5)],), {})]
