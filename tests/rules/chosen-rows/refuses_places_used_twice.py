# flags: --unsafe-fixes
# refuses: `rows` is used in another way too
import torch


def doubled(x, places):
    x[places] = x[places] * 2
    return x


@torch.compile
def refined(x, mask):
    rows = torch.where(mask)[0]
    return doubled(x, rows), rows
