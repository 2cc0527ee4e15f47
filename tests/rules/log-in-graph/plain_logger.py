# runs: make_callable make_inputs
import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Net(nn.Module):
    def __init__(self, dim: int = 4):
        super().__init__()
        self.dim = dim
        self.linear = nn.Linear(dim, dim)

    def forward(self, x):
        for i in range(2):
            x = self.linear(x)
            logger.warning("layer %d of %d: %.4f", i, x.dim(), x.norm())
            logger.info(
                f"{x.shape=} {tuple(x.shape)}",
                extra={"rows": x.shape[0]},
            )
        return x


def make_callable():
    torch.manual_seed(0)
    logger.setLevel(logging.INFO)
    return Net().eval()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).reshape(2, 4),), {}), ((torch.linspace(-1, 1, 12).reshape(3, 4),), {})]


# output
import functools
import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


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
def _log_layer_of(i: int, x: torch.Tensor, x_norm: torch.Tensor) -> None:
    logger.warning("layer %d of %d: %.4f", i, x.dim(), x_norm, stacklevel=3)


@_effect
def _log_x_shape(x: torch.Tensor) -> None:
    logger.info(
        f"{x.shape=} {tuple(x.shape)}",
        extra={"rows": x.shape[0]},
        stacklevel=3,
    )


class Net(nn.Module):
    def __init__(self, dim: int = 4):
        super().__init__()
        self.dim = dim
        self.linear = nn.Linear(dim, dim)

    def forward(self, x):
        for i in range(2):
            x = self.linear(x)
            _log_layer_of(i, x, x.norm())
            _log_x_shape(x)
        return x


def make_callable():
    torch.manual_seed(0)
    logger.setLevel(logging.INFO)
    return Net().eval()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).reshape(2, 4),), {}), ((torch.linspace(-1, 1, 12).reshape(3, 4),), {})]
