# runs: make_callable make_inputs
import torch


def adjust(image, gamma):
    if (gamma < 0.0).any():
        raise ValueError(f"gamma must not be negative, got {gamma}")  # as in the paper
    return image.pow(gamma)


def make_callable():
    return adjust


def make_inputs():
    image = torch.linspace(0, 1, 6).reshape(2, 3)
    return [((image, torch.ones(2, 1)), {}), ((image, -torch.ones(2, 1)), {})]


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
def _check_gamma(failed: torch.Tensor, gamma: torch.Tensor) -> None:
    if failed:
        raise ValueError(f"gamma must not be negative, got {gamma}")


def adjust(image, gamma):
    # as in the paper
    _check_gamma((gamma < 0.0).any(), gamma)
    return image.pow(gamma)


def make_callable():
    return adjust


def make_inputs():
    image = torch.linspace(0, 1, 6).reshape(2, 3)
    return [((image, torch.ones(2, 1)), {}), ((image, -torch.ones(2, 1)), {})]
