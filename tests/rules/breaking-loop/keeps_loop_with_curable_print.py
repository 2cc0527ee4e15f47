# flags: --unsafe-fixes
import torch


def shout(x):
    x = torch.tanh(x)
    for i in range(2):
        print("level", i)
        x = torch.sin(x) + i
    return torch.relu(x)
