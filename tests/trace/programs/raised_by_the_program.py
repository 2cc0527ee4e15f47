import torch


def f(x):
    y = x + 1
    if y.sum() > 0:
        raise ValueError("positive")
    return y * 2


def main(compiled):
    g = compiled(f)
    g(-torch.ones(3) * 9)
    try:
        g(torch.ones(3))
    except ValueError:
        pass


# sites: 6 GB0170
# graphs: f 3, f@6 1
