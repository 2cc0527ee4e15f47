import torch


@torch.compile
def chosen(x):
    h = torch.tanh(x)
    return (h * 2 if h.mean() > 0 else h - 1).sum()


# output
import torch


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


@torch.compile
def chosen(x):
    h = torch.tanh(x)
    return (_where(h.mean() > 0, lambda h: h * 2, lambda h: h - 1, (h,))).sum()
