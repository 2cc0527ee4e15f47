import torch


def f(x):
    while x.sum() < 10:
        x = x + 1
    return x


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 5 GB0170
# graphs: f 2, f@5 3
# empty: f@5
# From Python 3.13 on, what is resumed is the loop itself.
# graphs[py3.13]: f 2
# empty[py3.13]:
# skipped[py3.13]: f@5
