# refuses: `v` is also read on line
# refuses: several reductions share the selection, which eager code would make again for each
# refuses: what stands between the selection and its use may change what is selected
# refuses: `x[mask].cumsum` is not known to work element by element
# refuses: what is reduced works row by row, not element by element
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        v = x[mask]
        s = v.sum() + v.std()
        w = x[~mask]
        if w.numel() == 0:
            return s
        s = s + w.sum() + w.mean()
        u = x[mask]
        x.add_(1)
        return s + u.sum() + x[mask].cumsum(0).sum() + self.lin(x[mask]).sum()
