# refuses: rests on an assumption
import torch

from .log import logger


def f(x: torch.Tensor) -> torch.Tensor:
    logger.info("called")
    return torch.relu(x)
