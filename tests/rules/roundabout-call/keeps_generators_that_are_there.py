import torch


def noised(x: torch.Tensor, generator: torch.Generator, maybe=None):
    if maybe is None:
        maybe = torch.Generator()
    y = torch.randn(x.shape, generator=generator) + torch.rand(x.shape, generator=maybe)
    z = torch.randn(x.shape) if maybe is None else torch.randn(x.shape, generator=maybe)
    return x + y + z + torch.bernoulli(x, generator=None)


@torch.compiler.disable
def outside(x: torch.Tensor, generator=None):
    return torch.randn(x.shape, generator=generator)
