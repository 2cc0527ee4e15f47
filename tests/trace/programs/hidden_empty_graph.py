import torch


def f(x):
    print("", end="")
    return x + 1


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 5 GB0059
# graphs: f@5 1
