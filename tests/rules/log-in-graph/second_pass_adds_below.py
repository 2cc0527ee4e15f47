import functools
import logging
import torch

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
def _log_begin() -> None:
    logger.info("begin", stacklevel=3)


def f(x: torch.Tensor) -> torch.Tensor:
    _log_begin()
    y = torch.relu(x)
    logger.info("begin")
    logger.info("end")
    return y


# output
import functools
import logging
import torch

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
def _log_begin() -> None:
    logger.info("begin", stacklevel=3)


@_effect
def _log_end() -> None:
    logger.info("end", stacklevel=3)


def f(x: torch.Tensor) -> torch.Tensor:
    _log_begin()
    y = torch.relu(x)
    _log_begin()
    _log_end()
    return y
