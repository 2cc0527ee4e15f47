# refuses: `shapes` is assigned to on line 6
import torch


def crop(x):
    shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
    shapes[0, 0] = 1
    return [x[:h, :w] for h, w in shapes]
