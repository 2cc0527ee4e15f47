import torch


def step(x: torch.Tensor, mode: str) -> torch.Tensor:
    y = x * 2
    if y.isnan().any() or y.isinf().any():
        # nothing to be saved here
        raise FloatingPointError
    elif mode == "double":
        y = y * 2
    else:
        y = y + 1
    return y


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
def _check_y(failed: torch.Tensor) -> None:
    if failed:
        raise FloatingPointError


def step(x: torch.Tensor, mode: str) -> torch.Tensor:
    y = x * 2
    # nothing to be saved here
    _check_y(~y.isfinite().all())
    if mode == "double":
        y = y * 2
    else:
        y = y + 1
    return y
