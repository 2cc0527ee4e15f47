import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, hidden):
        hidden = self.fc(hidden)
        if hidden.dtype == torch.float16 and (
            torch.isinf(hidden).any() or torch.isnan(hidden).any()
        ):
            limit = torch.finfo(hidden.dtype).max - 1000
            hidden = torch.clamp(hidden, min=-limit, max=limit)
        return hidden


# output
import torch
from torch import nn


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, hidden):
        hidden = self.fc(hidden)
        if hidden.dtype == torch.float16:
            limit = torch.finfo(hidden.dtype).max - 1000
            hidden = _where(
                (hidden.abs() < torch.inf).all(),
                lambda hidden: hidden,
                lambda hidden: torch.clamp(hidden, min=-limit, max=limit),
                (hidden,),
            )
        return hidden
