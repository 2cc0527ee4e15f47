# refuses: `self.idx` is a tensor of constants, and each is read on every call
import torch
from torch import nn


class Embedding(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.idx = torch.ones(n, dtype=torch.bool)
        self.idx[1] = 0

    def forward(self, x):
        columns = []
        for i, is_continuous in enumerate(self.idx):
            if is_continuous:
                columns.append(x[:, i].float())
            else:
                columns.append(x[:, i].long())
        return torch.stack(columns, 1)
