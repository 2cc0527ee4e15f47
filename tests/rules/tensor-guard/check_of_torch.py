# runs: make_callable make_inputs
import torch


def checked(x, mask):
    valid = mask.sum(-1) > 0
    torch._check_tensor_all(valid)  # every row
    return x / mask.sum(-1)


def make_callable():
    return checked


def make_inputs():
    good, bad = torch.ones(2, 3), torch.tensor([[1.0, 1.0], [0.0, 0.0]])
    return [((torch.randn(2), good), {}), ((torch.randn(2), bad), {})]

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
def _check_valid(valid: torch.Tensor) -> None:
    torch._check_tensor_all(valid)


def checked(x, mask):
    valid = mask.sum(-1) > 0
    # every row
    _check_valid(valid)
    return x / mask.sum(-1)


def make_callable():
    return checked


def make_inputs():
    good, bad = torch.ones(2, 3), torch.tensor([[1.0, 1.0], [0.0, 0.0]])
    return [((torch.randn(2), good), {}), ((torch.randn(2), bad), {})]
