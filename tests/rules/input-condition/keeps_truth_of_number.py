import torch


def shifted(x, steps, name=None):
    named = bool(name)
    y = torch.tanh(x)
    for _ in range(int(steps)):
        y = y * 2
    return (y, name) if named else (y, "none")
