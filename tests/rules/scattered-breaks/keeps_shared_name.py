import torch


def pick(x):
    x = torch.tanh(x)
    low = x.min().tolist()
    high = x.max().tolist()

    def span():
        return high - low

    return span, x * 2
