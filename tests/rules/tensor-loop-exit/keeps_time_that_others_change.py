# refuses: compiled code of the file calls this function
import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self, steps=4):
        super().__init__()
        self.steps = steps

    def refine(self, x, time):
        time.mul_(0.5)
        return x * time

    def forward(self, x):
        dt = torch.tensor(1.0 / self.steps)
        time = torch.tensor(1.0)
        while time > dt:
            x = self.refine(x, time)
            time = time - dt
        return x


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Sampler()

    def forward(self, x):
        return self.held(x)
