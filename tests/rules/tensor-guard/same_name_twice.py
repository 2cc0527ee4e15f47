import torch


def check(x: torch.Tensor) -> torch.Tensor:
    if (x < 0).any():
        raise ValueError("negative")
    if (x > 1).any():
        raise ValueError("too large")
    if (x == 0.5).all():
        raise ValueError("negative")
    return x.sqrt()


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
        raise ValueError("negative")


@_effect
def _check_x_2(failed: torch.Tensor) -> None:
    if failed:
        raise ValueError("too large")


def check(x: torch.Tensor) -> torch.Tensor:
    _check_x((x < 0).any())
    _check_x_2((x > 1).any())
    _check_x((x == 0.5).all())
    return x.sqrt()
