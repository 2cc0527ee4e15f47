# select: TR302,TR303
import os

import torch


def setting(x):
    print("reading", x.shape, os.getpid() > 0)
    return float(os.environ.get("SCALE", "2")) + x.tolist()[0]


def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    if y.sum() < 0:
        print("negative")
    return y * setting(y)


# output
import functools
import os

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
def _print_negative(condition: torch.Tensor) -> None:
    if condition:
        print("negative")


@torch.compiler.disable
def setting(x):
    print("reading", x.shape, os.getpid() > 0)
    return float(os.environ.get("SCALE", "2")) + x.tolist()[0]


def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    _print_negative(y.sum() < 0)
    return y * setting(y)
