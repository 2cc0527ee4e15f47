import torch

import time


def f(x):
    y = x + 1
    started = time.time()
    return y * 2, started


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 8 GB0007
# graphs: f 1, f@8 1
