# runs: make_model make_inputs
# select: TR103,TR201
import torch
from torch import nn


class Merger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)

    def forward(self, ids, features):
        h = self.embed(ids)
        mask = (h.sum(-1) * 0 + ids) == 7
        n_tokens, n_features = mask.sum().item(), features.shape[0]
        if n_tokens != n_features:
            raise ValueError(f"tokens and features do not match: {n_tokens} tokens, {n_features} features")
        return h.masked_scatter(mask[..., None], features)


def make_model():
    torch.manual_seed(0)
    return Merger()


def make_inputs():
    ids = torch.tensor([[1, 7, 7, 2], [7, 3, 4, 5]])
    return [((ids, torch.ones(3, 4)), {}), ((ids, torch.zeros(3, 4)), {}), ((ids, torch.ones(2, 4)), {})]


# output
import functools

import torch
from torch import nn


def _effect(fn):
    """Run `fn` in its place in the graph while compiling, directly otherwise."""

    @functools.wraps(fn)
    def step(*args):
        return op(*args) if torch.compiler.is_compiling() else fn(*args)

    @functools.wraps(fn)
    def body(*args):
        step(*args)  # stack levels in `fn` count from a frame of this module in the graph as well

    op = torch.library.custom_op(f"{__name__}::{fn.__name__}".replace(".", "_"), body, mutates_args=())
    op.register_fake(lambda *args: None)
    torch.library._register_effectful_op(op._opoverload, torch._library.effects.EffectType.ORDERED)
    return step


@_effect
def _check_n_tokens(failed: torch.Tensor, n_tokens: torch.Tensor, n_features: int) -> None:
    if failed:
        raise ValueError(f"tokens and features do not match: {n_tokens} tokens, {n_features} features")


class Merger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)

    def forward(self, ids, features):
        h = self.embed(ids)
        mask = (h.sum(-1) * 0 + ids) == 7
        n_tokens, n_features = mask.sum(), features.shape[0]
        _check_n_tokens(n_tokens != n_features, n_tokens, n_features)
        return h.masked_scatter(mask[..., None], features)


def make_model():
    torch.manual_seed(0)
    return Merger()


def make_inputs():
    ids = torch.tensor([[1, 7, 7, 2], [7, 3, 4, 5]])
    return [((ids, torch.ones(3, 4)), {}), ((ids, torch.zeros(3, 4)), {}), ((ids, torch.ones(2, 4)), {})]
