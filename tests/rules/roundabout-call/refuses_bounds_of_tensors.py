# refuses: a bound is not known to be an integer of Python
# refuses: `dtype=torch.float32` may change the numbers
# refuses: the step may be zero
import torch


def dice(x: torch.Tensor, step: int):
    axes = torch.arange(2, x.sum()).tolist()
    halves = torch.arange(2, dtype=torch.float32).tolist()
    return axes, halves, torch.arange(0, 9, step).tolist()
