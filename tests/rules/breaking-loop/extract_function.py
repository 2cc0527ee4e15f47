# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch


def helper(x):
    return x + 1


# Integrates.
def integrate(x, steps):
    """Explicit Euler."""
    x = torch.tanh(x)
    total = torch.zeros_like(x)
    k = 0
    while k < steps:
        x = helper(x) * 0.5
        torch._dynamo.graph_break()
        total = total + x
        k += 1
    return torch.relu(total), x


def make_callable():
    return integrate


def make_inputs():
    return [((torch.linspace(-1, 1, 6), 9), {}), ((torch.linspace(-2, 2, 6), 9), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return integrate(*args)


# output
import torch


def helper(x):
    return x + 1


def _run_integrate(x, total, k, steps):
    # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
    while k < steps:
        x, total, k = _integrate_step(x, total, k)
    return x, total


def _integrate_step(x, total, k):
    x = helper(x) * 0.5
    torch._dynamo.graph_break()
    total = total + x
    k += 1
    return x, total, k


# Integrates.
def integrate(x, steps):
    """Explicit Euler."""
    x = torch.tanh(x)
    total = torch.zeros_like(x)
    k = 0
    x, total = _run_integrate(x, total, k, steps)
    return torch.relu(total), x


def make_callable():
    return integrate


def make_inputs():
    return [((torch.linspace(-1, 1, 6), 9), {}), ((torch.linspace(-2, 2, 6), 9), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return integrate(*args)
