import torch


def f(x):
    y = x + 1
    try:
        print("", end="")
        y = y * 2
    except ValueError:
        y = y * 3
    return y


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 7 GB0059
# skipped: f
