# runs: make_step make_inputs
import torch


def step(x, noise, sigma, scale=1.0):
    noise = torch.sign(noise)
    # Far from the data the input is scaled down.
    if sigma > 1.0:
        x = x / sigma
    return x * scale + noise * sigma


def make_step():
    return step


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, x.cos(), s), {"scale": 1.5 / s}) for s in (0.5, 0.75, 1.5, 0.0 + 2.25)]


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


def step(x, noise, sigma, scale=1.0):
    noise = torch.sign(noise)
    # Far from the data the input is scaled down.
    x = _by_number(sigma, lambda sigma: sigma > 1.0, lambda: x / sigma, lambda: x, x)
    return x * scale + noise * sigma


def make_step():
    return step


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, x.cos(), s), {"scale": 1.5 / s}) for s in (0.5, 0.75, 1.5, 0.0 + 2.25)]
