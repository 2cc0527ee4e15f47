import torch


@torch.compile
def shaped(x):
    y = torch.sigmoid(x)
    m = y.mean()
    if m > 0.75:
        y = y * 0.25
    elif m > 0.5:
        y = y * 0.5
    else:
        y = y + 0.0
    return y


# output
import torch


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


@torch.compile
def shaped(x):
    y = torch.sigmoid(x)
    m = y.mean()
    y = _where(
        m > 0.75,
        lambda y, m: y * 0.25,
        lambda y, m: _where(m > 0.5, lambda y: y * 0.5, lambda y: y + 0.0, (y,)),
        (y, m),
    )
    return y
