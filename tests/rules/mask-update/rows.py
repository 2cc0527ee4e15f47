# runs: make_callable make_inputs
import torch
import torch.nn.functional as F
from torch import nn


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.text = nn.Linear(4, 4)
        self.image = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor, is_image: torch.Tensor) -> torch.Tensor:
        x = x * 2
        out = torch.empty_like(x)
        picked = x[is_image]
        hidden = self.image(picked)
        out[is_image] = hidden * self.scale
        out[~is_image] = self.text(x[~is_image])
        out[is_image] = F.softmax(out[is_image], dim=-1)
        return out


def make_callable():
    torch.manual_seed(0)
    return Towers()


def make_inputs():
    x = torch.arange(24.0).reshape(2, 3, 4)
    mask = torch.tensor([[True, False, True], [False, False, True]])
    x[~mask] = x[~mask] + 1e30
    return [((x, mask), {}), ((x, ~mask), {}), ((x, mask & ~mask), {}), ((x, mask | ~mask), {})]


# output
import torch
import torch.nn.functional as F
from torch import nn


def _masked_update(y, mask, fn, *xs):
    """`y[mask] = fn(*(x[mask] for x in xs))` for an elementwise `fn`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == y.device:
        wide = mask.reshape(mask.shape + (1,) * (y.dim() - mask.dim()))
        if y.shape[: mask.dim()] == mask.shape and all(x.shape == y.shape for x in xs):
            # No gradient flows into what is filled in, so elements that are not selected leave no NaN behind.
            new = fn(*[x.masked_fill(~wide, 1) for x in xs])
            if new.shape == y.shape and new.dtype == y.dtype:
                y.copy_(torch.where(wide, new, y))
                return
    y[mask] = fn(*[x[mask] for x in xs])


def _row_update(y, mask, fn, *xs):
    """`y[mask] = fn(*(x[mask] for x in xs))` for an `fn` that works row by row, on all rows while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == y.device:
        wide = mask.reshape(mask.shape + (1,) * (y.dim() - mask.dim()))
        if y.shape[: mask.dim()] == mask.shape and all(x.shape[:-1] == mask.shape for x in xs):
            # No gradient flows into what is filled in, so rows that are not selected leave no NaN behind.
            new = fn(*[x.masked_fill(~mask[..., None], 1) for x in xs])
            if new.shape == y.shape and new.dtype == y.dtype:
                y.copy_(torch.where(wide, new, y))
                return
    y[mask] = fn(*[x[mask] for x in xs])


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.text = nn.Linear(4, 4)
        self.image = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor, is_image: torch.Tensor) -> torch.Tensor:
        x = x * 2
        out = torch.empty_like(x)
        def selected(picked):
            hidden = self.image(picked)
            return hidden * self.scale
        _row_update(out, is_image, selected, x)
        _row_update(out, ~is_image, self.text, x)
        _row_update(out, is_image, lambda out: F.softmax(out, dim=-1), out)
        return out


def make_callable():
    torch.manual_seed(0)
    return Towers()


def make_inputs():
    x = torch.arange(24.0).reshape(2, 3, 4)
    mask = torch.tensor([[True, False, True], [False, False, True]])
    _masked_update(x, ~mask, lambda x: x + 1e30, x)
    return [((x, mask), {}), ((x, ~mask), {}), ((x, mask & ~mask), {}), ((x, mask | ~mask), {})]
