import torch


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


def register(fn):
    return torch.library.custom_op("mine::tell", fn, mutates_args=())


@register
def tell(x: torch.Tensor) -> None:
    print(x)


def clip(x):
    for i in range(3):
        x = _where(x.sum() > i, lambda x: x - 1, lambda x: x + 1, (x,))
        tell(x)
    return torch.relu(x)
