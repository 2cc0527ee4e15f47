import torch
from torch import nn


class Kept(nn.Module):
    def forward(self, x, keep):
        return x[keep.bool()].sum()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = Kept()

    def forward(self, x, keep):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.kept(x, keep)
