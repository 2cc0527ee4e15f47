import torch
from torch import nn


class Rebound(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x)
        if x.isnan().any():
            x = x.nan_to_num().sum(0)
        return x
