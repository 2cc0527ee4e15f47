# runs: make_callable make_inputs
import torch


def shifted(x, offset=None, gain=None):
    shift = bool(offset)
    grow = shift or bool(gain)
    y = torch.tanh(x)
    if shift:
        y = y + offset
    if grow:
        y = y * (gain if gain is not None else 2.0)
    return y.sum(dim=-1)


def make_callable():
    return shifted


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x, torch.tensor([0.5])), {}), ((x, torch.tensor([0.0]), torch.tensor([3.0])), {})]

# output
import torch


@torch._dynamo.decorators.skip
def shifted(x, offset=None, gain=None):
    shift = bool(offset)
    grow = shift or bool(gain)
    return _shifted(x, offset, gain, shift=shift, grow=grow)


def _shifted(x, offset, gain, *, shift, grow):
    y = torch.tanh(x)
    if shift:
        y = y + offset
    if grow:
        y = y * (gain if gain is not None else 2.0)
    return y.sum(dim=-1)


def make_callable():
    return shifted


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x, torch.tensor([0.5])), {}), ((x, torch.tensor([0.0]), torch.tensor([3.0])), {})]
