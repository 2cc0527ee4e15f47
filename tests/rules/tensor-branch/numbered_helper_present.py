import torch


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


@torch.compile
def gated(x):
    y = torch.tanh(x)
    if y.sum() > 0:
        y = y * 2
    return y


# output
import torch


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


@torch.compile
def gated(x):
    y = torch.tanh(x)
    y = _where(y.sum() > 0, lambda y: y * 2, lambda y: y, (y,))
    return y
