# refuses: `sizes` may be changed by `.clamp_(…)` on line 5 in `limit`
import torch


def limit(sizes):
    sizes.clamp_(max=3)


def crop(x):
    shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
    limit(shapes)
    return [x[:h, :w] for h, w in shapes]
