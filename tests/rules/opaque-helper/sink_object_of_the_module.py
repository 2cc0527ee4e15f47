import torch


class Meter:
    def __init__(self):
        self.total = 0.0
        self.sizes = []

    def update(self, value, size: int = 1):
        self.total += float(value) * size
        self.sizes.append(size)


meter = Meter()


def _write(path, row):
    with open(path, "a") as file:
        file.write(f"{row.tolist()}\n")


def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    meter.update(y.sum(), size=x.shape[0])
    _write("rows.txt", y)
    return y * 2


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
def _meter_update(value: torch.Tensor, size: int) -> None:
    meter.update(value, size)


@_effect
def _write_op(path: str, row: torch.Tensor) -> None:
    _write(path, row)


class Meter:
    def __init__(self):
        self.total = 0.0
        self.sizes = []

    def update(self, value, size: int = 1):
        self.total += float(value) * size
        self.sizes.append(size)


meter = Meter()


def _write(path, row):
    with open(path, "a") as file:
        file.write(f"{row.tolist()}\n")


def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    _meter_update(y.sum(), x.shape[0])
    _write_op("rows.txt", y)
    return y * 2
