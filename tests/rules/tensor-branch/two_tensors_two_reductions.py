import torch


@torch.compile
def bounded(x, y):
    a, b = torch.sigmoid(x), torch.sigmoid(y)
    if (a > 0.9).any() or (b > 0.9).any():
        a = torch.clamp(a, 0.1, 0.9)
    return a + b


# output
import torch


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


@torch.compile
def bounded(x, y):
    a, b = torch.sigmoid(x), torch.sigmoid(y)
    a = _where((a > 0.9).any() | (b > 0.9).any(), lambda a: torch.clamp(a, 0.1, 0.9), lambda a: a, (a,))
    return a + b
