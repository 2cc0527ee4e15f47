# runs: make_callable make_inputs
import torch


def compare(a: torch.Tensor, b: torch.Tensor, limit: int) -> torch.Tensor:
    if not torch.allclose(a, b):
        raise ValueError(f"differ by {(a - b).abs().max().item():.2f}")
    if int(a.max()) > limit or a.sum().item() < 0:
        raise OverflowError("too large")
    return a * b


def make_callable():
    return compare


def make_inputs():
    a = torch.linspace(0, 1, 6)
    return [((a, a, 3), {}), ((a, a + 1, 3), {}), ((a * 9, a * 9, 3), {}), ((-a, -a, 3), {})]


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
def _check_a(a: torch.Tensor, b: torch.Tensor) -> None:
    if not torch.allclose(a, b):
        raise ValueError(f"differ by {(a - b).abs().max().item():.2f}")


@_effect
def _check_a_2(a_max: torch.Tensor, limit: int, a_sum: torch.Tensor) -> None:
    if int(a_max) > limit or a_sum.item() < 0:
        raise OverflowError("too large")


def compare(a: torch.Tensor, b: torch.Tensor, limit: int) -> torch.Tensor:
    _check_a(a, b)
    _check_a_2(a.max(), limit, a.sum())
    return a * b


def make_callable():
    return compare


def make_inputs():
    a = torch.linspace(0, 1, 6)
    return [((a, a, 3), {}), ((a, a + 1, 3), {}), ((a * 9, a * 9, 3), {}), ((-a, -a, 3), {})]
