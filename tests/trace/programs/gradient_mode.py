import torch


def f(x):
    return x + 1


def main(compiled):
    g = compiled(f)
    g(torch.ones(3))
    with torch.no_grad():
        g(torch.ones(3))


# sites:
# graphs: f 1, f 1
# recompiles: f: global state: grad_mode
