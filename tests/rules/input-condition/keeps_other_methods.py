import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)

    def prepare_inputs(self, ids, mask):
        if mask.all():
            return ids
        return ids * mask
