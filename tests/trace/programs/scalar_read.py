import torch


def f(x):
    n = x.sum().item()
    return x * n


def main(compiled):
    g = compiled(f)
    g(torch.ones(3))
    g(torch.zeros(3))


# sites: 5 GB0124
# graphs: f 1, f@5 1, f@5 2
# recompiles: f@5: ___stack0 3.0
