import torch


def f(x):
    return x + 1


def main(compiled):
    g = compiled(f)
    for size in (3, 4, 1):
        g(torch.ones(size))


# sites:
# graphs: f 1, f 1, f 1
# recompiles: f: x.shape[0] 3, f: x.size()[0] 2 <= x.size()[0]
