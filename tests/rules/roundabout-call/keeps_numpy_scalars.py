import numpy as np
import torch


def flat(x: torch.Tensor, sizes):
    return np.prod(x.shape), int(np.prod(sizes)), float(np.prod(x.shape)), int(np.prod(x.shape, dtype=np.int32))
