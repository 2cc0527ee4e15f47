# refuses: is a tensor, and the record is made while tracing
import torch
from torch import nn

from ..utils import logging

logger = logging.get_logger(__name__)


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.relu()
        logger.warning_once(f"largest {y.max()}")
        return y
