import time

import torch


@torch.compiler.disable
def measure(x):
    x = torch.tanh(x)
    for i in range(3):
        x = x * time.time()
    return torch.relu(x)


def train(model, x):
    for i in range(3):
        model(x).sum().backward()
        started = time.time()
    return started
