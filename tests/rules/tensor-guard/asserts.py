# runs: make_callable make_inputs
import torch

LIMIT = 4


class Encoder(torch.nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        assert not x.isnan().any(), "no holes"
        assert (x < LIMIT).all(), f"{x.shape[0]} rows of {tuple(x.shape)}, limit {LIMIT}"
        assert bool(mask.any()) and mask.dtype == torch.bool
        assert x.max().item() < 3
        return x * mask


def make_callable():
    return Encoder()


def make_inputs():
    x, mask = torch.zeros(2, 3), torch.ones(2, 3, dtype=torch.bool)
    return [((x, mask), {}), ((x + 9, mask), {}), ((x * float("nan"), mask), {}), ((x, ~mask), {}), ((x + 3, mask), {})]


# output
import functools

import torch

LIMIT = 4


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
def _check_x(failed: torch.Tensor) -> None:
    assert not failed, "no holes"


@_effect
def _check_x_2(passed: torch.Tensor, x_shape: list[int]) -> None:
    assert passed, f"{x_shape[0]} rows of {tuple(x_shape)}, limit {LIMIT}"


@_effect
def _check_mask(passed: torch.Tensor, mask_dtype: torch.dtype) -> None:
    assert passed and mask_dtype == torch.bool


@_effect
def _check_x_3(x_max: torch.Tensor) -> None:
    assert x_max.item() < 3


class Encoder(torch.nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        _check_x(x.isnan().any())
        _check_x_2((x < LIMIT).all(), x.shape)
        _check_mask(mask.any(), mask.dtype)
        _check_x_3(x.max())
        return x * mask


def make_callable():
    return Encoder()


def make_inputs():
    x, mask = torch.zeros(2, 3), torch.ones(2, 3, dtype=torch.bool)
    return [((x, mask), {}), ((x + 9, mask), {}), ((x * float("nan"), mask), {}), ((x, ~mask), {}), ((x + 3, mask), {})]
