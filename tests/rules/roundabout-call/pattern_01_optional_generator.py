# runs: make_callable make_inputs
import torch


def noised(x: torch.Tensor, generator=None, device=None):
    # One draw for each sample.
    noise = torch.randn(x.shape, generator=generator, device=device, dtype=x.dtype, layout=torch.strided, pin_memory=False)
    mask = torch.rand(x.shape, generator=generator) < 0.5
    return x * mask + noise * torch.rand(x.shape[:1], generator=generator)[:, None]


def make_callable():
    return noised


def make_inputs():
    return [((torch.zeros(n, 4),), {}) for n in (3, 5, 7)]


# output
import torch


def noised(x: torch.Tensor, generator=None, device=None):
    # One draw for each sample.
    noise = (
        torch.randn(x.shape, device=device, dtype=x.dtype, layout=torch.strided, pin_memory=False)
        if generator is None
        else torch.randn(x.shape, generator=generator, device=device, dtype=x.dtype, layout=torch.strided, pin_memory=False)
    )
    mask = (torch.rand(x.shape) if generator is None else torch.rand(x.shape, generator=generator)) < 0.5
    return x * mask + noise * (
        torch.rand(x.shape[:1])
        if generator is None
        else torch.rand(x.shape[:1], generator=generator)
    )[:, None]


def make_callable():
    return noised


def make_inputs():
    return [((torch.zeros(n, 4),), {}) for n in (3, 5, 7)]
