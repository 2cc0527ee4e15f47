import torch


@torch._dynamo.disable
def helper(x):
    return x + 1


def f(x):
    y = x * 2
    z = helper(y)
    return z - 1


def main(compiled):
    g = compiled(f)
    g(torch.ones(3))
    g(torch.ones(3))


# sites: 11 GB0098
# graphs: f 1, f@11 1
