# refuses: `history` would keep the tensor `y`
# refuses: `step` also uses `seen`
import torch

history = []
seen = []


def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    history.append((y.sum().item(), y))
    seen.append(float(y.sum()))
    if len(seen) > 2:
        y = y * 2
    return y
