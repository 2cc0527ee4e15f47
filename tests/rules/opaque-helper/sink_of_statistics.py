# runs: make_callable make_inputs
import torch
from torch import nn

history = []


def note(tag, value):
    """Keep running statistics for a dashboard."""
    history.append((tag, round(float(value), 4)))
    if len(history) > 64:
        del history[0]


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        h = self.linear(x)
        note("mean", h.mean())
        for _ in range(2):
            h = h.tanh()
            note("max", value=h.abs().max())  # per layer
        note("min", h.min().item())
        return h


def make_callable():
    torch.manual_seed(0)
    history.clear()
    return Policy()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).reshape(2, 4) * s,), {}) for s in (1, 2, 3)]


# output
import functools

import torch
from torch import nn

history = []


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
def _note(tag: str, value: torch.Tensor) -> None:
    note(tag, value)


@_effect
def _note_2(tag: str, value: torch.Tensor) -> None:
    note(tag, value.item())


def note(tag, value):
    """Keep running statistics for a dashboard."""
    history.append((tag, round(float(value), 4)))
    if len(history) > 64:
        del history[0]


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        h = self.linear(x)
        _note("mean", h.mean())
        for _ in range(2):
            h = h.tanh()
            # per layer
            _note("max", h.abs().max())
        _note_2("min", h.min())
        return h


def make_callable():
    torch.manual_seed(0)
    history.clear()
    return Policy()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).reshape(2, 4) * s,), {}) for s in (1, 2, 3)]
