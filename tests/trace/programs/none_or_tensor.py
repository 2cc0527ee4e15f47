import torch


def f(x, mask):
    if mask is None:
        return x + 1
    return x * mask


def main(compiled):
    g = compiled(f)
    g(torch.ones(3), None)
    g(torch.ones(3), torch.ones(3))
    g(torch.ones(3), None)


# sites:
# graphs: f 1, f 1
# recompiles: f: mask None
# recompiles[2.6]: f: mask
