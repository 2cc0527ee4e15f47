# select: TR204,TR103
# runs: make_callable make_inputs
import torch


def fill(embeddings: torch.Tensor, image_mask: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    embeddings = embeddings * 2
    mask = image_mask[..., None] & (embeddings > 0)
    if embeddings[mask].numel() != features.numel():
        raise ValueError(f"{features.numel()} features do not fit")
    return embeddings.masked_scatter(mask, features)


def make_callable():
    return fill


def make_inputs():
    x, mask = torch.ones(2, 3, 4), torch.tensor([[True, False, True], [False, False, True]])
    return [((x, mask, torch.arange(12.0)), {}), ((x, mask, torch.arange(11.0)), {}), ((x, ~mask, torch.arange(12.0)), {})]


# output
import functools

import torch


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
def _check_mask(failed: torch.Tensor, features: torch.Tensor) -> None:
    if failed:
        raise ValueError(f"{features.numel()} features do not fit")


def _masked_count(mask, x):
    """`x[mask].numel()` as a 0-d tensor, without selecting while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == x.device:
        if mask.dim() > 0 and x.shape[: mask.dim()] == mask.shape:
            return mask.reshape(mask.shape + (1,) * (x.dim() - mask.dim())).expand_as(x).sum()
    return torch.tensor(x[mask].numel())


def fill(embeddings: torch.Tensor, image_mask: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    embeddings = embeddings * 2
    mask = image_mask[..., None] & (embeddings > 0)
    _check_mask(_masked_count(mask, embeddings) != features.numel(), features)
    return embeddings.masked_scatter(mask, features)


def make_callable():
    return fill


def make_inputs():
    x, mask = torch.ones(2, 3, 4), torch.tensor([[True, False, True], [False, False, True]])
    return [((x, mask, torch.arange(12.0)), {}), ((x, mask, torch.arange(11.0)), {}), ((x, ~mask, torch.arange(12.0)), {})]
