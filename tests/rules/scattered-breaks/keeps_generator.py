import torch


def rows(x):
    for row in torch.tanh(x):
        first = row[0].tolist()
        last = row[-1].tolist()
        yield first, last
