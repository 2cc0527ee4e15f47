import torch
from torch import nn

from ..utils import logging

logger = logging.get_logger(__name__)


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.linear = nn.Linear(4, 4)

    def forward(self, x, use_cache=False):
        if self.training and use_cache:
            logger.warning_once(
                "`use_cache=True` does nothing here. "  # as said above
                f"Set `{self.config.name}` instead."
            )
            use_cache = False
        logger.info_once("decoding")
        return self.linear(x)


# output
import torch
from torch import nn

from ..utils import logging

logger = logging.get_logger(__name__)


@torch.compiler.assume_constant_result
def _warning_once(*args, **kwargs):
    """Log while tracing: a once-logger's record appears once, compiled or not."""
    logger.warning_once(*args, **kwargs)


@torch.compiler.assume_constant_result
def _info_once(*args, **kwargs):
    """Log while tracing: a once-logger's record appears once, compiled or not."""
    logger.info_once(*args, **kwargs)


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.linear = nn.Linear(4, 4)

    def forward(self, x, use_cache=False):
        if self.training and use_cache:
            _warning_once(
                "`use_cache=True` does nothing here. "  # as said above
                f"Set `{self.config.name}` instead."
            )
            use_cache = False
        _info_once("decoding")
        return self.linear(x)
