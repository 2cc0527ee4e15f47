# runs: make_callable make_inputs
import torch


class Attend:
    def __init__(self, causal=True):
        self.causal = causal

    def attend(self, q: torch.Tensor, k: torch.Tensor, limit: float):
        scores = q @ k.transpose(-1, -2)
        near = scores > limit
        if self.causal and not near.all():
            scores = scores.masked_fill(~near, -1e9)
        return scores.softmax(-1)


def make_callable():
    return Attend().attend


def make_inputs():
    g = torch.Generator().manual_seed(2)
    q, k = torch.randn(2, 3, generator=g), torch.randn(4, 3, generator=g)
    return [((q, k, limit), {}) for limit in (-100.0, 0.0)]


# output
import torch


class Attend:
    def __init__(self, causal=True):
        self.causal = causal

    def attend(self, q: torch.Tensor, k: torch.Tensor, limit: float):
        scores = q @ k.transpose(-1, -2)
        near = scores > limit
        if self.causal and (torch.compiler.is_compiling() or not near.all()):
            scores = scores.masked_fill(~near, -1e9)
        return scores.softmax(-1)


def make_callable():
    return Attend().attend


def make_inputs():
    g = torch.Generator().manual_seed(2)
    q, k = torch.randn(2, 3, generator=g), torch.randn(4, 3, generator=g)
    return [((q, k, limit), {}) for limit in (-100.0, 0.0)]
