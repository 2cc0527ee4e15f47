import torch


class Diverged(RuntimeError):
    pass


class Solver(torch.nn.Module):
    def __init__(self, steps=3):
        super().__init__()
        self.steps = steps
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i in range(self.steps):
            x = self.linear(x)
            if not torch.isfinite(x).all():
                raise Diverged(f"step {i} of {self.steps}")
        return x


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
def _check_x(passed: torch.Tensor, i: int, steps: int | float | bool) -> None:
    if not passed:
        raise Diverged(f"step {i} of {steps}")


class Diverged(RuntimeError):
    pass


class Solver(torch.nn.Module):
    def __init__(self, steps=3):
        super().__init__()
        self.steps = steps
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i in range(self.steps):
            x = self.linear(x)
            _check_x(torch.isfinite(x).all(), i, self.steps)
        return x
