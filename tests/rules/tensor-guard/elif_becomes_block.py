import torch


def step(x: torch.Tensor, lazy: bool) -> torch.Tensor:
    if lazy:
        x = x + 1
    elif x.sum() > 10:
        raise ValueError("too much") from None
    return x * 2


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
def _check_x(failed: torch.Tensor) -> None:
    if failed:
        raise ValueError("too much") from None


def step(x: torch.Tensor, lazy: bool) -> torch.Tensor:
    if lazy:
        x = x + 1
    else:
        _check_x(x.sum() > 10)
    return x * 2
