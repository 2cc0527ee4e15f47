# flags: --unsafe-fixes
# runs: Reader make_inputs
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x, parts):
        rows = []
        x = x.tanh()
        for part in parts:
            x = x + part
            torch._dynamo.graph_break()
            rows.append(self.head(x))
        total = x.sum(-1, keepdim=True)
        for part in parts:
            torch._dynamo.graph_break()
            if part.ndim > 3:
                continue
            total = total + part.mean()
        return torch.stack(rows).sum(0) + total


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x, [x, x + 1, x * 2]), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Reader()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x, parts):
        rows = []
        x = x.tanh()
        x = self._run_parts(x, parts, rows)
        total = x.sum(-1, keepdim=True)
        total = self._run_parts_2(total, parts)
        return torch.stack(rows).sum(0) + total

    def _run_parts_2(self, total, parts):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for part in parts:
            total = self._part_step_2(total, part)
        return total

    def _part_step_2(self, total, part):
        torch._dynamo.graph_break()
        if part.ndim > 3:
            return total
        total = total + part.mean()
        return total

    def _run_parts(self, x, parts, rows):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for part in parts:
            x, value = self._part_step(x, part)
            rows.append(value)
        return x

    def _part_step(self, x, part):
        x = x + part
        torch._dynamo.graph_break()
        return x, self.head(x)


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x, [x, x + 1, x * 2]), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Reader()

    def forward(self, *args):
        return self.held(*args)
