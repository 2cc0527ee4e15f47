import torch
from torch import nn


class Guarded(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, gain):
        if (gain < 0).any():
            raise ValueError("gain must not be negative")
        return self.fc(x) * gain
