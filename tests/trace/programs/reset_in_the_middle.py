import torch


def f(x):
    y = x + 1
    print("", end="")
    return y * 2


def main(compiled):
    compiled(f)(torch.ones(3))
    torch._dynamo.reset()
    compiled(f)(torch.ones(3))


# sites: 6 GB0059
# graphs: f 1, f@6 1, f 1, f@6 1
