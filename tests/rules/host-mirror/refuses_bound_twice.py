# refuses: `h` is bound in another way too
import torch


def crop(x, other):
    shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
    out = []
    for h, w in shapes:
        if out:
            h = other.argmax()
        out.append(x[:h, :w])
    return out
