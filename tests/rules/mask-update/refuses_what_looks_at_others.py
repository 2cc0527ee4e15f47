# refuses: `x[mask].cumsum` is not known to work element by element
# refuses: `self.norm` is not known to work row by row
# refuses: `self.drop` is not known to work row by row
# refuses: `torch.softmax` is not known to work element by element
# refuses: `torch.rand_like` is not known to work element by element
# refuses: `x[mask] @ x[mask].t()` is not known to work element by element
# refuses: `self.other` is not known to work row by row
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, other: nn.Module) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.drop = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
        self.other = other

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[mask] = x[mask].cumsum(0)
        y[mask] = self.norm(x[mask])
        y[mask] = self.drop(x[mask])
        y[mask] = torch.softmax(x[mask], dim=0)
        y[mask] = x[mask] + torch.rand_like(x[mask])
        y[mask] = x[mask] @ x[mask].t()
        y[mask] = self.other(x[mask])
        return y
