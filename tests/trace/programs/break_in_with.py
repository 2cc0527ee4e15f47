import torch

import contextlib


@contextlib.contextmanager
def region():
    yield


def f(x):
    y = x + 1
    with region():
        y = y * 2
        print("", end="")
    return y


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 15 GB0059
# skipped: f
# sites[2.6]: 13
# graphs[2.6]: f 1
# skipped[2.6]: f@13
