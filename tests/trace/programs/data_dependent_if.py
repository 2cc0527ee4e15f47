import torch


def f(x):
    y = x + 1
    if y.sum() > 0:
        return y * 2
    return y - 1


def main(compiled):
    g = compiled(f)
    g(torch.ones(3))
    g(-torch.ones(3) * 9)


# sites: 6 GB0170
# graphs: f 3, f@6 1, f@6 1
