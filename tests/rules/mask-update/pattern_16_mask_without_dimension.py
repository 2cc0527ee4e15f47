# runs: make_callable make_inputs
import torch


def score(rss: torch.Tensor, tss: torch.Tensor):
    rss, tss = rss.sum(), tss.sum()
    known = (rss != 0) & (tss != 0)
    out = torch.ones_like(rss)
    out[known] = 1 - (rss[known] / tss[known])
    return out


def make_callable():
    return score


def make_inputs():
    x = torch.arange(4.0)
    return [((x, x + 1), {}), ((x, x * 0), {}), ((x * 0, x * 0), {})]


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


def score(rss: torch.Tensor, tss: torch.Tensor):
    rss, tss = rss.sum(), tss.sum()
    known = (rss != 0) & (tss != 0)
    out = torch.ones_like(rss)
    _masked_update(out, known, lambda rss, tss: 1 - (rss / tss), rss, tss)
    return out


def make_callable():
    return score


def make_inputs():
    x = torch.arange(4.0)
    return [((x, x + 1), {}), ((x, x * 0), {}), ((x * 0, x * 0), {})]
