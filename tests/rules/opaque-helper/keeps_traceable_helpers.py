import numpy as np
import torch

shapes = []


def remember(x):
    shapes.append(x.shape)


def smooth(x):
    return np.convolve(x.numpy(), np.ones(3), mode="same")


def scaled(x):
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    remember(y)
    scaled(y)
    return scaled(y) + torch.from_numpy(smooth(y))
