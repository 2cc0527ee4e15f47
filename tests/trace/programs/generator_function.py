import torch


def halves(x):
    for _ in range(2):
        x = x / 2
        yield x


def f(x):
    y = x
    for part in halves(x + 1):
        y = y + part
    return y


def main(compiled):
    compiled(f)(torch.ones(3))


# sites:
# graphs: f 5
