# runs: make_callable make_inputs
import torch


def dice(x: torch.Tensor, y: torch.Tensor):
    axes: list[int] = torch.arange(2, len(x.shape)).tolist()
    steps = torch.arange(1, 8, 3, dtype=torch.long, device=x.device).tolist()
    return (x * y).sum(axes) / len(steps)


def make_callable():
    return dice


def make_inputs():
    x = torch.arange(48.0).reshape(2, 2, 3, 4)
    return [((x, x + 1), {}), ((x[0], x[1]), {})]


# output
import torch


def _integers(*bounds):
    """`torch.arange(*bounds).tolist()` for integers, without a tensor."""
    found = range(*bounds)
    return list(found) if found else torch.arange(*bounds).tolist()


def dice(x: torch.Tensor, y: torch.Tensor):
    axes: list[int] = _integers(2, len(x.shape))
    steps = _integers(1, 8, 3)
    return (x * y).sum(axes) / len(steps)


def make_callable():
    return dice


def make_inputs():
    x = torch.arange(48.0).reshape(2, 2, 3, 4)
    return [((x, x + 1), {}), ((x[0], x[1]), {})]
