import logging

import torch
from torch import nn

LOG = logging.getLogger("levels")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = logging.getLogger("net")
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.log.debug("in", stacklevel=2)
        if LOG.isEnabledFor(logging.DEBUG):
            LOG.debug("mean %s", x.mean().item())
        logging.info("device %s dtype %s", x.device, x.dtype)
        LOG.log(logging.INFO, "%d rows", len(x))
        return self.linear(x)


# output
import functools
import logging

import torch
from torch import nn

LOG = logging.getLogger("levels")


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
def _log_in() -> None:
    logging.getLogger("net").debug("in", stacklevel=4)


@_effect
def _log_mean(x: torch.Tensor) -> None:
    if LOG.isEnabledFor(logging.DEBUG):
        LOG.debug("mean %s", x.mean().item(), stacklevel=3)


@_effect
def _log_device_dtype(x_device: torch.device, x_dtype: torch.dtype) -> None:
    logging.info("device %s dtype %s", x_device, x_dtype, stacklevel=3)


@_effect
def _log_rows(x: torch.Tensor) -> None:
    LOG.log(logging.INFO, "%d rows", len(x), stacklevel=3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = logging.getLogger("net")
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _log_in()
        _log_mean(x)
        _log_device_dtype(x.device, x.dtype)
        _log_rows(x)
        return self.linear(x)
