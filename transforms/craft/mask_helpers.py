"""Helpers of rewritten code that compute on whole tensors while compiling, and on what a mask selects otherwise.

Each falls back to the original where its mask is no mask, or a shape does not fit.
"""

from __future__ import annotations

_UPDATE = '''\
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
'''

_ROWS = '''\
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
'''

_REDUCTION = '''\
def _masked_{kind}(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).{kind}()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
{graph}
    return of(*[x[mask] for x in xs]).{kind}()
'''

_SUM = """\
            return kept.masked_fill(~wide, 0).sum()"""

_ANY = """\
            return kept.masked_fill(~wide, 0).any()"""

_ALL = """\
            return kept.masked_fill(~wide, 1).all()"""

_MEAN = """\
            if kept.is_floating_point():
                total = kept.masked_fill(~wide, 0).sum(dtype=torch.promote_types(kept.dtype, torch.float32))
                return (total / wide.expand_as(kept).sum()).to(kept.dtype)"""

_MAX = """\
            if kept.is_floating_point():
                return kept.masked_fill(~wide, float("-inf")).max()"""

_MIN = """\
            if kept.is_floating_point():
                return kept.masked_fill(~wide, float("inf")).min()"""

_OR = '''\
def _masked_{kind}_or(empty, mask, *xs, of=None):
    """`of(*(x[mask] for x in xs)).{kind}()` for an elementwise `of`, if any, or `empty()` where nothing is selected."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            filled, other = [x.masked_fill(~wide, 1) for x in xs], empty()
            kept = filled[0] if of is None else of(*filled)
            alike = other.dim() == 0 and other.dtype == kept.dtype and other.device == kept.device
            if kept.is_floating_point() and alike and kept.numel() > 0:
                {graph}
                return torch.where(mask.any(), found, other)
    picked = xs[0][mask] if of is None else of(*[x[mask] for x in xs])
    return picked.{kind}() if picked.numel() else empty()
'''

_MEAN_OR = """\
total = kept.masked_fill(~wide, 0).sum(dtype=torch.promote_types(kept.dtype, torch.float32))
                found = (total / wide.expand_as(kept).sum().clamp(min=1)).to(kept.dtype)"""

_MAX_OR = """found = kept.masked_fill(~wide, float("-inf")).max()"""

_MIN_OR = """found = kept.masked_fill(~wide, float("inf")).min()"""

_COUNT = '''\
def _masked_count(mask, x):
    """`x[mask].numel()` as a 0-d tensor, without selecting while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == x.device:
        if mask.dim() > 0 and x.shape[: mask.dim()] == mask.shape:
            return mask.reshape(mask.shape + (1,) * (x.dim() - mask.dim())).expand_as(x).sum()
    return torch.tensor(x[mask].numel())
'''

_CROSS_ENTROPY = '''\
def _masked_cross_entropy(loss, mask, logits, labels):
    """`loss(logits[mask], labels[mask])` for a cross entropy, which passes over the other labels while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == logits.device:
        fits = mask.shape == labels.shape == logits.shape[:-1] and not labels.is_floating_point()
        if fits and mask.dim() > 0 and getattr(loss, "reduction", "mean") != "none":
            left_out, ignored = ~mask.flatten(), getattr(loss, "ignore_index", -100)
            rows = logits.flatten(0, -2).masked_fill(left_out[:, None], 1)
            return loss(rows, labels.flatten().masked_fill(left_out, ignored))
    return loss(logits[mask], labels[mask])
'''


def _or(kind: str, graph: str) -> str:
    return _OR.replace("{kind}", kind).replace("{graph}", graph)


def _reduction(kind: str, graph: str) -> str:
    return _REDUCTION.replace("{kind}", kind).replace("{graph}", graph)


MASK_HELPERS = {
    "_masked_update": _UPDATE,
    "_row_update": _ROWS,
    "_masked_sum": _reduction("sum", _SUM),
    "_masked_mean": _reduction("mean", _MEAN),
    "_masked_max": _reduction("max", _MAX),
    "_masked_min": _reduction("min", _MIN),
    "_masked_mean_or": _or("mean", _MEAN_OR),
    "_masked_max_or": _or("max", _MAX_OR),
    "_masked_min_or": _or("min", _MIN_OR),
    "_masked_any": _reduction("any", _ANY),
    "_masked_all": _reduction("all", _ALL),
    "_masked_count": _COUNT,
    "_masked_cross_entropy": _CROSS_ENTROPY,
}
