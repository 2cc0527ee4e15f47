# flags: --unsafe-fixes
import torch


def spread(x: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    return x[valid].max() - x[valid].min()


def kept(loss: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    active = loss[mask]
    if active.shape[0] == 0:
        return loss.sum() * 0
    return active.mean()


# output
import torch


def _masked_max(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).max()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            if kept.is_floating_point():
                return kept.masked_fill(~wide, float("-inf")).max()
    return of(*[x[mask] for x in xs]).max()


def _masked_min(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).min()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            if kept.is_floating_point():
                return kept.masked_fill(~wide, float("inf")).min()
    return of(*[x[mask] for x in xs]).min()


def _masked_mean_or(empty, mask, *xs, of=None):
    """`of(*(x[mask] for x in xs)).mean()` for an elementwise `of`, if any, or `empty()` where nothing is selected."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            filled, other = [x.masked_fill(~wide, 1) for x in xs], empty()
            kept = filled[0] if of is None else of(*filled)
            alike = other.dim() == 0 and other.dtype == kept.dtype and other.device == kept.device
            if kept.is_floating_point() and alike and kept.numel() > 0:
                total = kept.masked_fill(~wide, 0).sum(dtype=torch.promote_types(kept.dtype, torch.float32))
                found = (total / wide.expand_as(kept).sum().clamp(min=1)).to(kept.dtype)
                return torch.where(mask.any(), found, other)
    picked = xs[0][mask] if of is None else of(*[x[mask] for x in xs])
    return picked.mean() if picked.numel() else empty()


def spread(x: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    return _masked_max(valid, x) - _masked_min(valid, x)


def kept(loss: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling():
        return _masked_mean_or(lambda: loss.sum() * 0, mask, loss)
    active = loss[mask]
    if active.shape[0] == 0:
        return loss.sum() * 0
    return active.mean()
