# runs: make_callable make_inputs
import torch


def contrast(image, factor):
    if not any(factor >= 0):
        raise ValueError("contrast factor must be positive")
    return image * factor[:, None] + image.mean()


def make_callable():
    return contrast


def make_inputs():
    image = torch.linspace(0, 1, 6).reshape(2, 3)
    return [((image, torch.tensor([1.0, -1.0])), {}), ((image, torch.tensor([-1.0, -1.0])), {})]


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
def _check_factor(holds: torch.Tensor) -> None:
    if not any(holds):
        raise ValueError("contrast factor must be positive")


def contrast(image, factor):
    _check_factor(factor >= 0)
    return image * factor[:, None] + image.mean()


def make_callable():
    return contrast


def make_inputs():
    image = torch.linspace(0, 1, 6).reshape(2, 3)
    return [((image, torch.tensor([1.0, -1.0])), {}), ((image, torch.tensor([-1.0, -1.0])), {})]
