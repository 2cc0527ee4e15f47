# refuses: in a loop, running layers on all rows each time would cost more than the cut
import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: torch.Tensor, route: torch.Tensor) -> torch.Tensor:
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            mask = route == i
            out[mask] = expert(x[mask])
        return out
