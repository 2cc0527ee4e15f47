# runs: make_callable make_inputs
import sys

import torch


def clip(x: torch.Tensor, limit: float) -> torch.Tensor:
    norm = x.norm()
    if norm > limit and torch.isfinite(norm):
        print(f"clipped {norm:.2f}", file=sys.stderr)
        print("sizes", x.shape)
    return x / norm


def make_callable():
    return clip


def make_inputs():
    return [((torch.ones(4), 1.0), {}), ((torch.ones(4), 9.0), {}), ((torch.full((4,), float("inf")), 9.0), {})]


# output
import functools
import sys

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
def _print_clipped(condition: torch.Tensor, norm: torch.Tensor, x_shape: list[int]) -> None:
    if condition:
        print(f"clipped {norm:.2f}", file=sys.stderr)
        print("sizes", torch.Size(x_shape))


def clip(x: torch.Tensor, limit: float) -> torch.Tensor:
    norm = x.norm()
    _print_clipped((norm > limit) & torch.isfinite(norm), norm, x.shape)
    return x / norm


def make_callable():
    return clip


def make_inputs():
    return [((torch.ones(4), 1.0), {}), ((torch.ones(4), 9.0), {}), ((torch.full((4,), float("inf")), 9.0), {})]
