import torch
from torch import nn


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @torch.no_grad()
    def forward(self, x, step):
        h = self.fc(x)
        if step == 0 and step.sum() == 0:
            h = h * 2
        if (step > 3).any():
            h = h + 1
        return h


# output
import torch
from torch import nn


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, x, step):
        return self._forward(
            x,
            step,
            step_flag=bool(step == 0 and step.sum() == 0),
            step_above_3_any=bool((step > 3).any()),
        )

    @torch.no_grad()
    def _forward(self, x, step, *, step_flag, step_above_3_any):
        h = self.fc(x)
        if step_flag:
            h = h * 2
        if step_above_3_any:
            h = h + 1
        return h
