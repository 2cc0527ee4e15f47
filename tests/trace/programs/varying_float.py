import torch


def f(x, rate):
    return x * rate


def main(compiled):
    g = compiled(f)
    for rate in (0.5, 0.25, 0.125):
        g(torch.ones(3), rate)


# sites:
# graphs: f 1, f 2
# recompiles: f: rate 0.5
