import torch


def f(x):
    return x + 1


def main(compiled):
    g = compiled(f)
    for size in (3, 4, 5, 6):
        g(torch.ones(size))


# sites:
# graphs: f 1, f 1
# recompiles: f: x.shape[0] 3
