# flags: --unsafe-fixes
import torch
from torch import nn


class Window(nn.Module):
    def __init__(self, width: int, step=1):
        super().__init__()
        self.width = nn.Buffer(torch.tensor(width), persistent=False)
        self.step = torch.tensor(step + 1, dtype=torch.long)
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        self.width += 1
        self.step.add_(1)
        x = self.proj(x)
        for _ in range(self.step):
            x = self.proj(x).relu()
        if x.shape[1] > self.width:
            x = x[:, : self.width] * self.width
        return x.narrow(1, 0, self.step.item())
