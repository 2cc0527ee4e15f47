# runs: make_callable make_inputs
import torch
from torch import nn


def rearrange(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


class Vit(nn.Module):
    def forward(self, x, counts: torch.Tensor):
        x = x.tanh()
        x = x.repeat_interleave(counts, dim=0)
        return rearrange(x, 2) + rearrange(x.half(), 2)


def make_callable():
    return Vit()


def make_inputs():
    torch.manual_seed(0)
    return [((torch.randn(1, 3, 4), torch.tensor([2])), {}), ((torch.randn(3, 3, 4), torch.tensor([1, 2, 2])), {})]


# output
import torch
from torch import nn


def rearrange(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


class Vit(nn.Module):
    @torch._dynamo.decorators.skip
    def forward(self, x, counts: torch.Tensor):
        counts_total = counts.sum().item() if counts.numel() != 1 else None
        return self._forward(x, counts, counts_total=counts_total)

    def _forward(self, x, counts: torch.Tensor, *, counts_total):
        x = x.tanh()
        x = x.repeat_interleave(counts, dim=0, output_size=counts_total)
        return rearrange(x, 2) + rearrange(x.half(), 2)


def make_callable():
    return Vit()


def make_inputs():
    torch.manual_seed(0)
    return [((torch.randn(1, 3, 4), torch.tensor([2])), {}), ((torch.randn(3, 3, 4), torch.tensor([1, 2, 2])), {})]
