# refuses: `__MESSAGE` is another name inside
# refuses: its stack level is not a literal
import logging
import warnings

import torch
from torch import nn

__MESSAGE = "old"
logger = logging.getLogger(__name__)


class Net(nn.Module):
    def forward(self, x: torch.Tensor, level) -> torch.Tensor:
        warnings.warn(__MESSAGE, FutureWarning)
        warnings.warn(level, stacklevel=level)
        return x.relu()


def g(x: torch.Tensor, logger) -> torch.Tensor:
    logger.info("passed in")
    return torch.relu(x)
