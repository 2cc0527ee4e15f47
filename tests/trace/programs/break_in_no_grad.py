import torch


def f(x):
    y = x + 1
    with torch.no_grad():
        y = y * 2
        print("", end="")
        y = y - 3
    return y


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 8 GB0059
# graphs: f 4, f@8 3
