import torch


def helper(x):
    y = x + 1
    print("", end="")
    return y


def f(x):
    return helper(x * 2) * 3


def g(x):
    return helper(x * 4) * 5


def main(compiled):
    compiled(f)(torch.ones(3))
    compiled(g)(torch.ones(3))


# sites: 6 GB0059
# graphs: f 1, helper 1, f@11 1, g 1, g@15 1
# empty: helper@6
