# flags: --unsafe-fixes
import torch


def mean_error(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    h = (x - y).tanh().softmax(-1)
    count = (h > 0.5).sum().item()
    return h.sum() / count


# output
import torch


def _scalar(x):
    """`x.item()`, or while compiling `x` itself, which stays in the graph."""
    return x.detach() if torch.compiler.is_compiling() else x.item()


def mean_error(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    h = (x - y).tanh().softmax(-1)
    count = _scalar((h > 0.5).sum())
    return h.sum() / count
