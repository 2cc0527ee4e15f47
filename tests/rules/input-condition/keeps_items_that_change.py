import torch
from torch import nn


class Changed(nn.Module):
    def forward(self, x, lengths):
        lengths = lengths.clamp(min=1)
        x.mul_(2)
        outs = []
        for i in range(len(lengths)):
            outs.append(x[i, : lengths[i].item()].sum(0))
        return outs


class Written(nn.Module):
    def forward(self, x, lengths):
        outs = []
        for i in range(len(lengths)):
            lengths[i] = min(lengths[i].item(), 3)
            outs.append(x[i, : lengths[i].item()].sum(0))
        return outs


class Both(nn.Module):
    def forward(self, x, lengths):
        outs = []
        for row, n in zip(x, lengths):
            outs.append(row[: n.item()] * n)
        return outs


class Bound(nn.Module):
    def forward(self, x, order, lengths):
        outs = []
        for i in order:
            outs.append(x[0, : lengths[i].item()].sum(0))
        return outs
