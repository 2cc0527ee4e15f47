import torch


def scaled(x, weight):
    h = torch.tanh(x @ weight) * 2
    limit = h.abs().max().item()
    names = {0: "low", 1: "high"}
    return torch.relu(h) @ weight, names[int(limit > 1)]
