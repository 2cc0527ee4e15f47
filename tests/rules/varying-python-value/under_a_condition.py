import math

import torch


@torch.compile
def scaled(x, t=1.0, flag=True):
    y = x.relu()
    if t > 0 and flag:
        y = y * math.log(t)
    return y


# output
import math

import torch


def scaled(x, t=1.0, flag=True):
    return _scaled(x, t, flag, t_log=math.log(t) if (t > 0 and flag) else None)


@torch.compile
def _scaled(x, t, flag, *, t_log):
    y = x.relu()
    if t > 0 and flag:
        y = y * t_log
    return y
