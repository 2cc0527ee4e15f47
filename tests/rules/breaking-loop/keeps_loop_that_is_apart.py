import torch
from torch import nn


class Apart(nn.Module):
    def forward(self, x, steps):
        rows = []
        x = x.tanh()
        x = self._run(x, steps, rows)
        return torch.stack(rows)

    def _run(self, x, steps, rows):
        for i in range(steps):
            x = self._step(x, i)
            rows.append(x)
        return x

    def _step(self, x, i):
        x = x + i
        torch._dynamo.graph_break()
        return x.relu()
