import torch


def f(x):
    return x + 1


def main(compiled):
    g = compiled(f)
    g(torch.ones(3))
    g(torch.ones(3, 2))


# sites:
# graphs: f 1, f 1
# recompiles: f: x.dim() 1
