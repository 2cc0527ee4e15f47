# runs: make_callable make_inputs
import torch as th


def scale(x, length, strict: bool):
    if strict and not th.isfinite(length):
        raise RuntimeError(f"length is {length.item()}", "scale")
    return x * length


def make_callable():
    return scale


def make_inputs():
    x = th.linspace(0, 1, 6)
    return [((x, th.tensor(2.0), True), {}), ((x, th.tensor(float("inf")), True), {}), ((x, th.tensor(float("inf")), False), {})]


# output
import functools

import torch as th


def _effect(fn):
    """Run `fn` in its place in the graph while compiling, directly otherwise."""

    @functools.wraps(fn)
    def step(*args):
        return op(*args) if th.compiler.is_compiling() else fn(*args)

    @functools.wraps(fn)
    def body(*args):
        step(*args)  # stack levels in `fn` count from a frame of this module in the graph as well

    op = th.library.custom_op(f"{__name__}::{fn.__name__}".replace(".", "_"), body, mutates_args=())
    op.register_fake(lambda *args: None)
    th.library._register_effectful_op(op._opoverload, th._library.effects.EffectType.ORDERED)
    return step


@_effect
def _check_length(passed: th.Tensor, length: th.Tensor) -> None:
    if not passed:
        raise RuntimeError(f"length is {length.item()}", "scale")


def scale(x, length, strict: bool):
    if strict:
        _check_length(th.isfinite(length), length)
    return x * length


def make_callable():
    return scale


def make_inputs():
    x = th.linspace(0, 1, 6)
    return [((x, th.tensor(2.0), True), {}), ((x, th.tensor(float("inf")), True), {}), ((x, th.tensor(float("inf")), False), {})]
