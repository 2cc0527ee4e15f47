# runs: make_callable make_inputs
import torch


def padded(lengths, longest, x: torch.Tensor):
    assert lengths.max().item() <= longest, "a sequence is longer than that"
    return x * (torch.arange(x.shape[1]) < lengths[:, None])


def make_callable():
    return padded


def make_inputs():
    lengths = torch.tensor([3, 2])
    return [((lengths, 4, torch.randn(2, 4)), {}), ((lengths, 2.5, torch.randn(2, 4)), {}), ((lengths + 1, 4, torch.randn(2, 4)), {})]

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


def _number(x):
    """`x.item()`, or while compiling a 0-d tensor in the graph that is as exact as a Python number."""
    if torch.compiler.is_compiling() and x.device.type != "mps":
        return x.detach().to(torch.float64 if x.is_floating_point() else torch.int64)
    return x.item()


@_effect
def _check_lengths(passed: torch.Tensor) -> None:
    assert passed, "a sequence is longer than that"


def padded(lengths, longest, x: torch.Tensor):
    _check_lengths(torch.as_tensor(_number(lengths.max()) <= longest))
    return x * (torch.arange(x.shape[1]) < lengths[:, None])


def make_callable():
    return padded


def make_inputs():
    lengths = torch.tensor([3, 2])
    return [((lengths, 4, torch.randn(2, 4)), {}), ((lengths, 2.5, torch.randn(2, 4)), {}), ((lengths + 1, 4, torch.randn(2, 4)), {})]
