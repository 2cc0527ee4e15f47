# refuses: `scale * h` on line 6 may need a tensor
import torch


def crop(x, scale: torch.Tensor):
    shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
    return [x[:h, :w] * (scale * h) for h, w in shapes]
