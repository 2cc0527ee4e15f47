import logging

try:
    import torch
except ImportError:
    torch = None

logger = logging.getLogger(__name__)


def f(x: "torch.Tensor"):
    logger.info("called")
    return torch.relu(x)
