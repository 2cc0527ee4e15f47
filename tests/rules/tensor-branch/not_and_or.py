import torch


@torch.compile
def bounded(x):
    y = torch.sigmoid(x)
    if not ((y >= 0.1).all() and (y <= 0.9).all()):
        y = torch.clamp(y, 0.1, 0.9)
    return y


# output
import torch


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


@torch.compile
def bounded(x):
    y = torch.sigmoid(x)
    y = _where(((y >= 0.1) & (y <= 0.9)).all(), lambda y: y, lambda y: torch.clamp(y, 0.1, 0.9), (y,))
    return y
