import torch


def pick(x, names):
    x = torch.tanh(x)
    for name, row in zip(names, x):
        if row.sum().item() > 0:
            chosen = name
    top = x.max().tolist()
    return chosen, top
