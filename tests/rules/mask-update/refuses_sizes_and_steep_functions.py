# refuses: the size of `noise` may hang on how much is selected
# refuses: the derivative of `x[mask].log()` may be infinite, and parameters would meet it
# refuses: the size of `x[mask, 0]` may hang on how much is selected
# refuses: `x[mask] // x[mask]` is not known to work element by element
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor, mask: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[mask] = x[mask] + noise
        y[mask] = x[mask].log() * self.gain
        y[mask] = x[mask] * x[mask, 0]
        y[mask] = x[mask] // x[mask]
        return y
