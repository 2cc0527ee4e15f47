import torch


class time:
    def time():
        return 0


def scale(x, float=lambda v: v):
    x = torch.tanh(x)
    for i in range(3):
        x = x * i + time.time()
        x = x + float(x.mean())
    return torch.relu(x)
