# refuses: `exc_info` of `logger.warning`
# refuses: nothing tells the type of `names`
# refuses: its stack level is not a literal
# refuses: its arguments are unpacked
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor, names: list, level, **kwargs) -> torch.Tensor:
    y = torch.relu(x)
    logger.warning("failed", exc_info=True)
    logger.warning("names %s", names)
    logger.warning("deep", stacklevel=level)
    logger.warning("%s", *names)
    return y
