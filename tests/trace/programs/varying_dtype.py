import torch


def f(x):
    return x + 1


def main(compiled):
    g = compiled(f)
    g(torch.ones(3))
    g(torch.ones(3, dtype=torch.float64))
    g(torch.ones(3))


# sites:
# graphs: f 1, f 1
# recompiles: f: x.dtype Float
