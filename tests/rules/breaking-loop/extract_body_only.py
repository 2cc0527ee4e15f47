# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch


def rollout(x, steps):
    for _ in range(steps):
        x = x * 0.5
        torch._dynamo.graph_break()
        x = torch.sin(x) + 1
    return x


def make_callable():
    return rollout


def make_inputs():
    return [((torch.linspace(-1, 1, 6), 9), {}), ((torch.linspace(-2, 2, 6), 9), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return rollout(*args)


# output
import torch


def _rollout_step(x):
    x = x * 0.5
    torch._dynamo.graph_break()
    x = torch.sin(x) + 1
    return x


def rollout(x, steps):
    for _ in range(steps):
        x = _rollout_step(x)
    return x


def make_callable():
    return rollout


def make_inputs():
    return [((torch.linspace(-1, 1, 6), 9), {}), ((torch.linspace(-2, 2, 6), 9), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return rollout(*args)
