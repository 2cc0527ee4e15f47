import logging

import torch

logger = logging.getLogger(__name__)


def load_weights(path: str) -> torch.Tensor:
    logger.info("loading %s", path)
    weights = torch.load(path)
    return weights * 2


def evaluate(model, batches):
    model.eval()
    for batch in batches:
        logger.info("loss %.3f", model(batch).mean())
        torch.relu(batch)


@torch.compiler.disable
def note(x: torch.Tensor) -> None:
    logger.info("%s", torch.relu(x))
