import torch


def f(x):
    y = x + 1
    print("", end="")
    return y


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 6 GB0059
# graphs: f 1
# empty: f@6
