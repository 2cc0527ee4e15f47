# refuses: `y` is not known to be a floating tensor of one dimension or more
# refuses: `m` may be changed in place after it is read
# refuses: `h[0]` is not known to be a 0-d tensor
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        h = self.lin(x)
        a = y * h.sum().item()
        m = h.mean()
        b = h * m.item()
        m.add_(1)
        c = h * h[0].item()
        return a, b, c, m
