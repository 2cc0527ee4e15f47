import torch


def make(scale):
    def f(x):
        return x * scale

    return f


def main(compiled):
    compiled(make(2.0))(torch.ones(3))
    compiled(make(3.0))(torch.ones(3))


# sites:
# graphs: make.<locals>.f 1, make.<locals>.f 2
# recompiles: make.<locals>.f: scale 2.0
