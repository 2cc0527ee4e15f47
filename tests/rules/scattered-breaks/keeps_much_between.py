import torch


def summary(x, y):
    low = x.min().tolist()
    h = torch.tanh(x) @ y
    h = torch.softmax(h, -1) * 2 + y.sum()
    h = torch.relu(h - h.mean()) / 2
    high = h.max().tolist()
    return low, high, h
