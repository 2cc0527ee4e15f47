import torch


def f(x):
    return x.sin() + 1


def main(compiled):
    g = compiled(f)
    g(torch.ones(3))
    g(torch.zeros(3))


# sites:
# graphs: f 2
