# refuses: compiled code of the file calls this function
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.into = nn.Linear(width, width)

    def forward(self, x, state):
        for t in range(x.size(1)):
            state = torch.tanh(self.into(x[:, t]) + state * 0.5)
        return state


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent = Recurrent()

    def forward(self, x):
        return self.recurrent(x, x[:, 0])
