import torch


@torch.compiler.disable
def relax(x):
    while x.abs().max() > 0.5:
        x = x.tanh() * 0.75
    return x
