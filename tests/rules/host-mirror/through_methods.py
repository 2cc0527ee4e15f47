# runs: make_callable make_inputs
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    @staticmethod
    def points(shapes, ratios):
        return [torch.arange(h * w) * ratios[:, None, i] for i, (h, w) in enumerate(shapes)]

    def forward(
        self,
        x,
        shapes,
        ratios,
        scale=None,  # of the points
    ):
        points = torch.cat(self.points(shapes, ratios), 1)
        return self.proj(x) * points[..., None]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def forward(self, maps):
        shapes = torch.tensor([m.shape[-2:] for m in maps]).to(maps[0].device)
        x = torch.cat([m.flatten(2).transpose(1, 2) for m in maps], 1)
        ratios = torch.ones(len(x), len(maps))
        hidden = self.encoder(
            x,
            shapes,
            ratios=ratios,
        )
        return hidden, shapes


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5), torch.randn(2, 4, 2, 3)],), {})]

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


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    @staticmethod
    def points(shapes, ratios, *, shapes_ints=None):
        return [torch.arange(h * w) * ratios[:, None, i] for i, (h, w) in enumerate(_mirror(shapes, shapes_ints))]

    def forward(
        self,
        x,
        shapes,
        ratios,
        scale=None,  # of the points
        *,
        shapes_ints=None,
    ):
        points = torch.cat(self.points(shapes, ratios, shapes_ints=shapes_ints), 1)
        return self.proj(x) * points[..., None]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def forward(self, maps):
        shapes_values = [m.shape[-2:] for m in maps]
        shapes = torch.tensor(shapes_values).to(maps[0].device)
        shapes_ints = _ints(shapes_values, 2)
        x = torch.cat([m.flatten(2).transpose(1, 2) for m in maps], 1)
        ratios = torch.ones(len(x), len(maps))
        hidden = self.encoder(
            x,
            shapes,
            ratios=ratios,
            shapes_ints=shapes_ints,
        )
        return hidden, shapes


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5), torch.randn(2, 4, 2, 3)],), {})]
