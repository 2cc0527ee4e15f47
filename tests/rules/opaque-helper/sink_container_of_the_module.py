# runs: make_callable make_inputs
import torch

history = []
norms: dict = {}


def step(x: torch.Tensor, scale: float) -> torch.Tensor:
    y = torch.relu(x) * scale
    history.append(y.sum().item())
    for i in range(2):
        y = y * 0.5
        history.append((i, round(float(y.norm()), 3), tuple(y.shape)))
    norms.update({"last": y.max().item(), "rows": len(y)})
    return y


def make_callable():
    history.clear()
    norms.clear()
    return step


def make_inputs():
    return [((torch.linspace(-1, 1, 6), s), {}) for s in (1.0, 2.0)]


# output
import functools

import torch

history = []
norms: dict = {}


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
def _append_history(y_sum: torch.Tensor) -> None:
    history.append(y_sum.item())


@_effect
def _append_history_2(i: int, y_norm: torch.Tensor, y_shape: list[int]) -> None:
    history.append((i, round(float(y_norm), 3), tuple(y_shape)))


@_effect
def _update_norms(y_max: torch.Tensor, y: torch.Tensor) -> None:
    norms.update({"last": y_max.item(), "rows": len(y)})


def step(x: torch.Tensor, scale: float) -> torch.Tensor:
    y = torch.relu(x) * scale
    _append_history(y.sum())
    for i in range(2):
        y = y * 0.5
        _append_history_2(i, y.norm(), y.shape)
    _update_norms(y.max(), y)
    return y


def make_callable():
    history.clear()
    norms.clear()
    return step


def make_inputs():
    return [((torch.linspace(-1, 1, 6), s), {}) for s in (1.0, 2.0)]
