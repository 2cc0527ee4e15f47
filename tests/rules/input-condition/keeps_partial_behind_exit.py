import torch
from torch import nn


class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, outputs):
        h = self.fc(x)
        if h.numel() == 0:
            raise KeyError("nothing there")
        picked = outputs["mask"].nonzero()
        return h[picked]
