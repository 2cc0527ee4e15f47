import torch
from torch import nn


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(
        self,
        hidden: torch.Tensor,
        mask: torch.Tensor,
        scale: float = 2.0,
    ) -> torch.Tensor:
        hidden = self.fc(hidden)
        if mask.any():
            hidden = hidden * scale
        return hidden


# output
import torch
from torch import nn


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(
        self,
        hidden: torch.Tensor,
        mask: torch.Tensor,
        scale: float = 2.0,
    ) -> torch.Tensor:
        return self._forward(hidden, mask, scale, mask_any=bool(mask.any()))

    def _forward(
        self,
        hidden: torch.Tensor,
        mask: torch.Tensor,
        scale: float,
        *,
        mask_any,
    ) -> torch.Tensor:
        hidden = self.fc(hidden)
        if mask_any:
            hidden = hidden * scale
        return hidden
