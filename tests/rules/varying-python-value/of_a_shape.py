import math

import torch


@torch.compile
def entropy(x):
    return x.sum() / math.log(x.shape[-1])
