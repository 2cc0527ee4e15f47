# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch


def pick(x, n, skip):
    x = torch.tanh(x)
    y = x + 1
    for i in range(n):
        torch._dynamo.graph_break()
        if i == skip:
            continue
        x = torch.sin(x) + i
        y = x * 2
    return torch.relu(x) + y


def make_callable():
    return pick


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, 3, 2), {}), ((x, 3, 0), {}), ((x, 9, 9), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return pick(*args)


# output
import torch


def _run_pick(x, y, n, skip):
    # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
    for i in range(n):
        x, y = _pick_step(x, y, i, skip)
    return x, y


def _pick_step(x, y, i, skip):
    torch._dynamo.graph_break()
    if i == skip:
        return x, y
    x = torch.sin(x) + i
    y = x * 2
    return x, y


def pick(x, n, skip):
    x = torch.tanh(x)
    y = x + 1
    x, y = _run_pick(x, y, n, skip)
    return torch.relu(x) + y


def make_callable():
    return pick


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, 3, 2), {}), ((x, 3, 0), {}), ((x, 9, 9), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return pick(*args)
