# runs: make_callable make_inputs
import warnings

import torch


def rescale(x: torch.Tensor, low: float = 0.5) -> torch.Tensor:
    y = x * 2
    if y.lt(low).any():
        warnings.warn(f"values below {low}", RuntimeWarning)  # seen in practice
    return y.relu()


def make_callable():
    return rescale


def make_inputs():
    return [((torch.ones(3),), {}), ((torch.zeros(3),), {}), ((torch.zeros(3), -1.5), {})]


# output
import functools
import warnings

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
def _warn_values_below(condition: torch.Tensor, low: float) -> None:
    if condition:
        warnings.warn(f"values below {low}", RuntimeWarning, stacklevel=3)


def rescale(x: torch.Tensor, low: float = 0.5) -> torch.Tensor:
    y = x * 2
    # seen in practice
    _warn_values_below(y.lt(low).any(), low)
    return y.relu()


def make_callable():
    return rescale


def make_inputs():
    return [((torch.ones(3),), {}), ((torch.zeros(3),), {}), ((torch.zeros(3), -1.5), {})]
