import torch


def f(x):
    y = x + 1
    return y[y > 0].sum()


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 6 GB0036
# graphs: f 2, f@6 1
