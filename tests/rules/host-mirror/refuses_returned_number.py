# refuses: may need a tensor
# flags: --unsafe-fixes
import torch
from torch import nn


class Window(nn.Module):
    def __init__(self, width: int, step=1):
        super().__init__()
        self.width = nn.Buffer(torch.tensor(width), persistent=False)
        self.half = self.width // 2
        self.step = torch.tensor(step + 1, dtype=torch.long)
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        x = self.proj(x)
        count = self.step
        return x[:, :count], count
