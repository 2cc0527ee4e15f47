# runs: make_callable make_inputs
import torch


def stats(x: torch.Tensor, y: torch.Tensor, valid: torch.Tensor) -> tuple[torch.Tensor, ...]:
    h = x * 2
    total = h[valid].sum()
    error = ((h[valid] - y[valid]) ** 2).mean()
    diff = (h - y)[~valid]
    size = diff.abs()
    return total, error, size.sum(), torch.mean(h[h > 0]), (h[valid] > 0).all(), (h[valid] > 9).any(), (h > 0)[valid].sum()


def make_callable():
    return stats


def make_inputs():
    x = torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)
    y = torch.tensor([[0.5, float("nan")], [float("inf"), 2.0]])
    valid = torch.tensor([[True, False], [False, True]])
    return [((x, y, valid), {}), ((x, y, valid & ~valid), {}), ((x, y[:, :1], valid[:, 0]), {}), ((x.half(), y.half(), valid), {})]


# output
import torch


def _masked_sum(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).sum()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            return kept.masked_fill(~wide, 0).sum()
    return of(*[x[mask] for x in xs]).sum()


def _masked_mean(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).mean()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            if kept.is_floating_point():
                total = kept.masked_fill(~wide, 0).sum(dtype=torch.promote_types(kept.dtype, torch.float32))
                return (total / wide.expand_as(kept).sum()).to(kept.dtype)
    return of(*[x[mask] for x in xs]).mean()


def _masked_any(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).any()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            return kept.masked_fill(~wide, 0).any()
    return of(*[x[mask] for x in xs]).any()


def _masked_all(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).all()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            return kept.masked_fill(~wide, 1).all()
    return of(*[x[mask] for x in xs]).all()


def stats(x: torch.Tensor, y: torch.Tensor, valid: torch.Tensor) -> tuple[torch.Tensor, ...]:
    h = x * 2
    total = _masked_sum(valid, h)
    error = _masked_mean(valid, h, y, of=lambda h, y: (h - y) ** 2)
    return total, error, _masked_sum(~valid, h - y, of=lambda diff: diff.abs()), _masked_mean(h > 0, h), _masked_all(valid, h, of=lambda h: h > 0), _masked_any(valid, h, of=lambda h: h > 9), _masked_sum(valid, h > 0)


def make_callable():
    return stats


def make_inputs():
    x = torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)
    y = torch.tensor([[0.5, float("nan")], [float("inf"), 2.0]])
    valid = torch.tensor([[True, False], [False, True]])
    return [((x, y, valid), {}), ((x, y, valid & ~valid), {}), ((x, y[:, :1], valid[:, 0]), {}), ((x.half(), y.half(), valid), {})]
