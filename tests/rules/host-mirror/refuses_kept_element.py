# refuses: `heights.append(h)` on line 8 may need a tensor
import torch


def crop(x):
    shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
    heights = []
    for h, w in shapes:
        heights.append(h)
        x = x[:h, :w]
    return x, heights
