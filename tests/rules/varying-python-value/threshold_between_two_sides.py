# runs: make_blend make_inputs
import torch


@torch.compile
def blend(x, t: float):
    y = torch.tanh(x)
    if 0.5 <= t:
        z = y * (t * 2)
    else:
        z = x - t
    return z + y


def make_blend():
    return blend


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, t), {}) for t in (0.1, 0.2, 0.7, 0.9, float("nan"))]


# output
import torch


def _by_number(number, test, true_fn, false_fn, *tensors):
    """`true_fn() if test(number) else false_fn()`, while compiling as one graph for both, where they are alike."""
    given = [*tensors, number] if isinstance(number, torch.Tensor) and number.numel() == 1 else tensors
    if torch.compiler.is_compiling() and (isinstance(number, float) or given is not tensors):
        if all(isinstance(x, torch.Tensor) and not x.requires_grad and x.device.type != "mps" for x in given):
            a, b = true_fn(), false_fn()
            if (a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device):
                held = torch.full((), number, dtype=torch.float64, device=a.device) if given is tensors else number
                return torch.where(test(held).reshape(()), a, b)
    return true_fn() if test(number) else false_fn()


@torch.compile
def blend(x, t: float):
    y = torch.tanh(x)
    z = _by_number(t, lambda t: 0.5 <= t, lambda: y * (t * 2), lambda: x - t, y, x)
    return z + y


def make_blend():
    return blend


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, t), {}) for t in (0.1, 0.2, 0.7, 0.9, float("nan"))]
