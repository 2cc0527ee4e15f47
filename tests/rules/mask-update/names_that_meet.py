# runs: make_callable make_inputs
import torch


def f(x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[keep] = x[keep].to(x.dtype) * x.shape[0] + x.abs().max()
    return y


def make_callable():
    return f


def make_inputs():
    return [((torch.arange(6.0), torch.arange(6) > 2), {}), ((torch.arange(4), torch.arange(4) > 2), {})]


# output
import torch


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


def f(x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    _masked_update(y, keep, lambda x_kept: x_kept.to(x.dtype) * x.shape[0] + x.abs().max(), x)
    return y


def make_callable():
    return f


def make_inputs():
    return [((torch.arange(6.0), torch.arange(6) > 2), {}), ((torch.arange(4), torch.arange(4) > 2), {})]
