# refuses: `f` also uses `history`
import torch

history = []


def note(value):
    history.append(float(value))


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    note(y.sum())
    return y * len(history)
