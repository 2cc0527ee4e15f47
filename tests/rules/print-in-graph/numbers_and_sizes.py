# runs: make_callable make_inputs
import torch
from torch import nn


class DebugNet(nn.Module):
    def __init__(self, dim=4, verbose=True):
        super().__init__()
        self.a = nn.Linear(dim, dim)
        self.verbose = verbose

    def forward(self, x):
        x = torch.relu(self.a(x))
        if self.verbose:
            print("after a:", tuple(x.shape), "mean", round(float(x.mean()), 4))
            print(f"max={x.max().item():.3f}", x.shape, flush=True)  # for the log
        for i in range(2):
            x = x * 0.5
            print(i, x.sum().item() if self.verbose else "-", sep=": ", end=";")
        print()
        return x


def make_callable():
    torch.manual_seed(42)
    return DebugNet().eval()


def make_inputs():
    return [((torch.linspace(-1, 1, 4 * n).reshape(n, 4),), {}) for n in (2, 3)]


# output
import functools

import torch
from torch import nn


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
def _print_after_a(x_shape: list[int], x_mean: torch.Tensor) -> None:
    print("after a:", tuple(x_shape), "mean", round(float(x_mean), 4))


@_effect
def _print_max(x_max: torch.Tensor, x_shape: list[int]) -> None:
    print(f"max={x_max.item():.3f}", torch.Size(x_shape), flush=True)


@_effect
def _print_i(i: int, verbose: int | float | bool, x: torch.Tensor) -> None:
    print(i, x.sum().item() if verbose else "-", sep=": ", end=";")


@_effect
def _print_line() -> None:
    print()


class DebugNet(nn.Module):
    def __init__(self, dim=4, verbose=True):
        super().__init__()
        self.a = nn.Linear(dim, dim)
        self.verbose = verbose

    def forward(self, x):
        x = torch.relu(self.a(x))
        if self.verbose:
            _print_after_a(x.shape, x.mean())
            # for the log
            _print_max(x.max(), x.shape)
        for i in range(2):
            x = x * 0.5
            _print_i(i, self.verbose, x)
        _print_line()
        return x


def make_callable():
    torch.manual_seed(42)
    return DebugNet().eval()


def make_inputs():
    return [((torch.linspace(-1, 1, 4 * n).reshape(n, 4),), {}) for n in (2, 3)]
