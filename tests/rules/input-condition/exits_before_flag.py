import torch


@torch.compile
def scaled(x, gain):
    y = x.relu()
    if x.dim() == 1:
        return y
    if x.dim() == 2:
        y = y + 1
    else:
        return y * 2
    if gain.max() > 1:
        y = y * 3
    return y


# output
import torch


def scaled(x, gain):
    return _scaled(x, gain, gain_max_above_1=bool(not x.dim() == 1 and x.dim() == 2 and gain.max() > 1))


@torch.compile
def _scaled(x, gain, *, gain_max_above_1):
    y = x.relu()
    if x.dim() == 1:
        return y
    if x.dim() == 2:
        y = y + 1
    else:
        return y * 2
    if gain_max_above_1:
        y = y * 3
    return y
