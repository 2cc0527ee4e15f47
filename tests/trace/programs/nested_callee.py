import torch


def inner(x):
    y = x + 1
    print("", end="")
    return y * 2


def middle(x):
    return inner(x * 3) - 1


def f(x):
    return middle(x + 5) / 2


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 6 GB0059
# graphs: f 1, middle 1, inner 1, inner@6 1, middle@11 1, f@15 1
