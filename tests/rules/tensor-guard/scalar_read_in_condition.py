import torch


def pack(x: torch.Tensor, lengths: torch.Tensor, limit: int = 4) -> torch.Tensor:
    if lengths.max().item() > limit:
        raise ValueError(f"{lengths.tolist()} exceed {limit:d}")
    return x * lengths


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
def _check_lengths(lengths_max: torch.Tensor, limit: int, lengths: torch.Tensor) -> None:
    if lengths_max.item() > limit:
        raise ValueError(f"{lengths.tolist()} exceed {limit:d}")


def pack(x: torch.Tensor, lengths: torch.Tensor, limit: int = 4) -> torch.Tensor:
    _check_lengths(lengths.max(), limit, lengths)
    return x * lengths
