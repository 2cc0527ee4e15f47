"""What lies around the code that is run: what a run leaves behind there is no part of the next one."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from typing import Any

import torch

_OF_EVERY_LOGGER = frozenset(vars(logging.Logger("any")))


def modes() -> tuple[str, ...]:
    """The modes of torch that a call can leave behind for its caller."""
    return (
        f"gradients {torch.is_grad_enabled()}",
        f"inference {torch.is_inference_mode_enabled()}",
        f"autocast {torch.is_autocast_enabled('cpu')}",
        f"default {torch.get_default_dtype()}",
        f"deterministic {torch.are_deterministic_algorithms_enabled()}",
        f"anomalies {torch.is_anomaly_enabled()}",
    )


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Put back what the block changes in the modes of torch, the environment, the working directory and loggers."""
    gradients, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    anomalies, autocast = torch.is_anomaly_enabled(), torch.is_autocast_enabled("cpu")
    deterministic = _deterministic()
    environment, folder, paths = dict(os.environ), os.getcwd(), list(sys.path)  # noqa: PTH109  # a plain text
    loggers = {id(logger): _state(logger) for logger in _loggers()}
    try:
        yield
    finally:
        torch.set_grad_enabled(gradients)
        torch.set_default_dtype(dtype)
        if _deterministic() != deterministic:
            # This loads the compiler, which takes as long as torch itself.
            torch.use_deterministic_algorithms(deterministic[0], warn_only=deterministic[1])
        torch.autograd.set_detect_anomaly(anomalies)
        torch.set_autocast_enabled("cpu", autocast)
        if os.environ != environment:
            os.environ.clear()
            os.environ.update(environment)
        os.chdir(folder)
        sys.path[:] = paths
        for logger in _loggers():
            _restore(logger, loggers.get(id(logger)))


def _deterministic() -> tuple[bool, bool]:
    return torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()


def _loggers() -> list[logging.Logger]:
    """Those that are not torch's."""
    held = logging.root.manager.loggerDict
    named = [item for name, item in held.items() if name.partition(".")[0] != "torch"]
    return [logging.root, *(item for item in named if isinstance(item, logging.Logger))]


def _state(logger: logging.Logger) -> dict[str, Any]:
    return {**vars(logger), "handlers": list(logger.handlers), "filters": list(logger.filters)}


def _restore(logger: logging.Logger, state: dict[str, Any] | None) -> None:
    """Put a state back; of one that was made since, only what user code noted on it is taken off.

    Libraries that were imported since have set theirs up, and will not do so again.
    """
    held = vars(logger)
    if state is None:
        for name in held.keys() - _OF_EVERY_LOGGER:
            delattr(logger, name)
    elif held != state:
        if logger.level != state["level"]:
            logger.setLevel(state["level"])
        for name in held.keys() - state.keys():
            delattr(logger, name)
        held.update(state)
