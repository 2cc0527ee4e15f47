# refuses: may need a tensor
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def _coords(self, height: torch.Tensor, width: torch.Tensor, dtype):
        return torch.arange(0, height, dtype=dtype) / height, torch.arange(0, width, dtype=dtype) / width

    def _bias(self, boxes, shape):
        height, width = shape
        boxes = boxes * height.float()
        rows, columns = self._coords(height, width, dtype=boxes.dtype)
        return boxes.sum() * (rows[:, None] + columns).flatten()

    def forward(self, x):
        sizes = [(m.shape[-2], m.shape[-1]) for m in x]
        flat = torch.cat([m.flatten(2).transpose(1, 2) for m in x], 1)
        shapes = torch.tensor(sizes, dtype=torch.long)
        flat = self.proj(flat)
        if shapes.shape[0] == 1:
            shape = (shapes[0, 0], shapes[0, 1])
            flat = flat + self._bias(flat, shape)[None, :, None]
        return flat, shapes


def make_callable():
    torch.manual_seed(0)
    return Decoder()


def make_inputs():
    return [(([torch.randn(2, 4, 4, 5)],), {})]
