import torch


@torch.compile(dynamic=False)
def scaled(x, gain, *, limit=3.0):
    y = x * gain
    if gain.max() > limit:
        y = y / gain.max()
    return y.relu()


# output
import torch


def scaled(x, gain, *, limit=3.0):
    return _scaled(x, gain, limit=limit, gain_max_above_limit=bool(gain.max() > limit))


@torch.compile(dynamic=False)
def _scaled(x, gain, *, limit, gain_max_above_limit):
    y = x * gain
    if gain_max_above_limit:
        y = y / gain.max()
    return y.relu()
