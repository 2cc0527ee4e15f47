import torch


def f(xs):
    return xs[0] + len(xs)


def main(compiled):
    g = compiled(f)
    for length in (1, 2, 3):
        g([torch.ones(3)] * length)


# sites:
# graphs: f 1, f 1, f 1
# recompiles: f: len(xs) 1, f: len(xs) 2
