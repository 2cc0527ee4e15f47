import torch
from torch import nn


class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = 0
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        if self.training:
            self.seen += 1
            self.mean.mul_(1 - self.momentum).add_(x.detach().mean(0) * self.momentum)
        return x - self.mean


def make_callable():
    return Running()


def make_inputs():
    g = torch.Generator().manual_seed(1)
    return [((torch.randn(3, 4, generator=g),), {}) for _ in range(3)]


# wrong: state key lost
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = 0
        self.register_buffer("mean", torch.zeros(dim), persistent=False)

    def forward(self, x):
        if self.training:
            self.seen += 1
            self.mean.mul_(1 - self.momentum).add_(x.detach().mean(0) * self.momentum)
        return x - self.mean


# wrong: evaluation trains too
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = 0
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        self.seen += 1
        self.mean.mul_(1 - self.momentum).add_(x.detach().mean(0) * self.momentum)
        return x - self.mean


# wrong: buffer replaced instead of written
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = 0
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        if self.training:
            self.seen += 1
            self.mean = self.mean * (1 - self.momentum) + x.detach().mean(0) * self.momentum
        return x - self.mean


# wrong: counter became a tensor
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = torch.tensor(0)
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        if self.training:
            self.seen += 1
            self.mean.mul_(1 - self.momentum).add_(x.detach().mean(0) * self.momentum)
        return x - self.mean


# wrong: result from before the update
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = 0
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        out = x - self.mean
        if self.training:
            self.seen += 1
            self.mean.mul_(1 - self.momentum).add_(x.detach().mean(0) * self.momentum)
        return out


# right: early return
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = 0
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        if not self.training:
            return x - self.mean
        self.seen = self.seen + 1
        self.mean.mul_(1 - self.momentum).add_(x.detach().mean(0) * self.momentum)
        return x - self.mean


# right: update in a method
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.seen = 0
        self.register_buffer("mean", torch.zeros(dim))

    def _update(self, x):
        self.seen += 1
        self.mean.mul_(1 - self.momentum).add_(x.detach().mean(0) * self.momentum)

    def forward(self, x):
        if self.training:
            self._update(x)
        return x - self.mean


# right: two steps in place
class Running(nn.Module):
    def __init__(self, dim=4, momentum=0.5):
        super().__init__()
        self.momentum, self.seen = momentum, 0
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        mean = self.mean
        if self.training:
            self.seen += 1
            step = x.detach().mean(0) * self.momentum
            mean.mul_(1 - self.momentum)
            mean.add_(step)
        return x - mean
