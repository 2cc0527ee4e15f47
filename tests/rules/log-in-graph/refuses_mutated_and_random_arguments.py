# refuses: nothing tells what `y.add_
# refuses: `torch.rand` may keep
# refuses: `y.grad_fn` is another thing
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    logger.info("%s", y.add_(1).sum().item())
    logger.info("%s", torch.rand(3))
    logger.info("%s", y.grad_fn)
    return y
