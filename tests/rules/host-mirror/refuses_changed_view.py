# refuses: `h` is bound in another way too
import torch


def crop(x):
    shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
    out = []
    for h, w in shapes:
        h += 1
        out.append(x[:h, :w])
    return out, shapes
