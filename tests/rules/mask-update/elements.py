# runs: make_callable make_inputs
import torch


def overlap(a: torch.Tensor, b: torch.Tensor, eps: float = 1e-7) -> torch.Tensor:
    x1 = torch.max(a[:, 0], b[:, 0])
    x2 = torch.min(a[:, 1], b[:, 1])
    inter = torch.zeros_like(x1)
    # Boxes apart have none.
    mask = x2 > x1
    inter[mask] = (x2[mask] - x1[mask]).sqrt() / (a[:, 1][mask] + eps)  # by length
    inter[inter > 0.5] += 0.25
    inter[mask] *= inter[mask]
    return inter


def make_callable():
    return overlap


def make_inputs():
    a = torch.tensor([[0.0, 2.0], [1.0, 3.0], [0.0, 1.0]], requires_grad=True)
    b = torch.tensor([[1.0, 3.0], [5.0, 6.0], [0.0, 1.0]])
    return [((a, b), {}), ((a, b + 9), {}), ((a.detach() * float("nan"), b), {})]


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


def overlap(a: torch.Tensor, b: torch.Tensor, eps: float = 1e-7) -> torch.Tensor:
    x1 = torch.max(a[:, 0], b[:, 0])
    x2 = torch.min(a[:, 1], b[:, 1])
    inter = torch.zeros_like(x1)
    # Boxes apart have none.
    mask = x2 > x1
    _masked_update(inter, mask, lambda x2, x1, x: (x2 - x1).sqrt() / (x + eps), x2, x1, a[:, 1])  # by length
    _masked_update(inter, inter > 0.5, lambda inter: inter.add_(0.25), inter)
    _masked_update(inter, mask, lambda inter, inter_kept: inter.mul_(inter_kept), inter, inter)
    return inter


def make_callable():
    return overlap


def make_inputs():
    a = torch.tensor([[0.0, 2.0], [1.0, 3.0], [0.0, 1.0]], requires_grad=True)
    b = torch.tensor([[1.0, 3.0], [5.0, 6.0], [0.0, 1.0]])
    return [((a, b), {}), ((a, b + 9), {}), ((a.detach() * float("nan"), b), {})]
