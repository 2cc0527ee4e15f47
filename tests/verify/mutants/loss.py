import torch
from torch import nn


class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target.detach()
        if diff.abs().max() > self.edge:
            return (diff.abs() * self.scale).mean()
        return diff.square().mean()


def make_callable():
    return Loss()


def make_inputs():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    t = torch.tensor([1.1, 2.2], requires_grad=True)
    return [((x, t), {}), ((x, t * 3), {})]


# wrong: gradient lost
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target.detach()
        if diff.abs().max() > self.edge:
            return (diff.abs() * self.scale.detach()).mean()
        return diff.square().mean()


# wrong: no gradient became a zero gradient
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target.detach()
        if diff.abs().max() > self.edge:
            return (diff.abs() * self.scale).mean() + 0 * self.unused.sum()
        return diff.square().mean()


# wrong: gradient of the arm not taken
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target.detach()
        return torch.where(diff.abs().max() > self.edge, (diff.abs() * self.scale).mean(), diff.square().mean())


# wrong: detach dropped
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target
        if diff.abs().max() > self.edge:
            return (diff.abs() * self.scale).mean()
        return diff.square().mean()


# wrong: no second derivative
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target.detach()
        if diff.abs().max() > self.edge:
            return (diff.abs() * self.scale).mean()
        return (diff * (2 * diff - diff).detach()).mean() * 2 - diff.detach().square().mean()


# right: one return
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target.detach()
        if diff.abs().max() > self.edge:
            parts = diff.abs() * self.scale
        else:
            parts = diff.square()
        return parts.mean()


# right: no absolute value twice
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = torch.sub(x, target.detach())
        size = diff.abs()
        if size.max() > self.edge:
            return (size * self.scale).mean()
        return torch.square(diff).mean()


# right: order of the arms
class Loss(nn.Module):
    def __init__(self, edge=0.5):
        super().__init__()
        self.edge = edge
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x, target):
        diff = x - target.detach()
        far = diff.abs().max() > self.edge
        if not far:
            return diff.square().mean()
        return (diff.abs() * self.scale).mean()
