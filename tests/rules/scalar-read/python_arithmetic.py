# runs: make_callable make_inputs
import torch


def normalize(x: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    mean = x.mean()
    centre = mean.item()
    scale = x.std().item()
    spread = (scale + eps) ** 2
    rows, columns = x.shape
    return (x - 2 * centre) / spread + 1 / (x - -centre) + x**scale


def make_callable():
    return normalize


def make_inputs():
    x = torch.arange(1.0, 9.0).reshape(2, 4)
    return [((x,), {}), ((x * 100,), {"eps": 0.5})]


# output
import torch


def _number(x):
    """`x.item()`, or while compiling a 0-d tensor in the graph that is as exact as a Python number."""
    if torch.compiler.is_compiling() and x.device.type != "mps":
        return x.detach().to(torch.float64 if x.is_floating_point() else torch.int64)
    return x.item()


def normalize(x: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    mean = x.mean()
    centre = _number(mean)
    scale = _number(x.std())
    spread = (scale + eps) ** 2
    rows, columns = x.shape
    return (x - 2 * centre) / spread + 1 / (x - -centre) + x**scale


def make_callable():
    return normalize


def make_inputs():
    x = torch.arange(1.0, 9.0).reshape(2, 4)
    return [((x,), {}), ((x * 100,), {"eps": 0.5})]
