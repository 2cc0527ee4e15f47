# refuses: `top` is also used as a Python number on line
# refuses: `low` is also used as a Python number on line
# refuses: `mean` is bound more than once
# refuses: `float(…)` of integers makes other dtypes than the tensor does
# refuses: `int(…)` cuts off a fraction, unless the tensor holds integers
import torch


def f(x: torch.Tensor, n: int) -> tuple[torch.Tensor, float]:
    h = x.softmax(-1)[:, 1:]
    top = h.max().item()
    low = h.min().item()
    mean = h.mean().item()
    if n > 2:
        mean = 0.5
    count = h * float((h > 0).sum())
    whole = h * int(h.sum())
    return h * top + h * low + h * mean + count + whole + h * (1 / low), top
