import torch


def looped(x):
    for _ in range(2):
        x = x + 1
        print("", end="")
    return x


def f(x):
    y = x * 2
    y = looped(y)
    return y - 1


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 7 GB0059
# graphs: f 1, f@13 1
# skipped: looped
