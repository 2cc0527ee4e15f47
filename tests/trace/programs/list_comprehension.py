import torch


def f(x, ts):
    y = x + 1
    values = [t.item() for t in ts]
    return y * values[0]


def main(compiled):
    compiled(f)(torch.ones(3), [torch.ones(()), torch.ones(())])


# sites: 6 GB0124
# graphs: f 1, f@6 1
