# refuses: Dynamo makes tensors of what numpy computes from Python numbers, and then has to read them back
import numpy as np
import torch


def windows(x: torch.Tensor, size: int, overlap: float):
    starts = np.linspace(0, x.shape[0] - size, 4).astype(int).tolist()
    return torch.stack([x[s : s + size] for s in starts])
