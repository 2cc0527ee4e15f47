# refuses: the loop inside it on line 10 runs over numbers read out of a tensor
# select: TR401
import torch
from torch import nn


class Spans(nn.Module):
    def rows(self, x: torch.Tensor, kinds: torch.Tensor):
        rows = []
        for i, row in enumerate(x):
            groups = []
            for k in kinds[i].tolist():
                groups.append(k + 1)
            for size in groups:
                row = torch.cat([row, torch.arange(size) + row.sum()])
            row = torch.tanh(row * 2 + row.mean())
            rows.append(torch.relu(row).max())
        return torch.stack(rows)

    def forward(self, x: torch.Tensor, kinds: torch.Tensor):
        return torch.sigmoid(self.rows(torch.relu(x), kinds)) * 2
