import torch


def make_inputs():
    torch.manual_seed(0)
    x = torch.randn(4, 4)
    return [x[x > 0], x.sum().item()]


def load(path):
    return torch.load(path)["step"].item()
