# flags: --unsafe-fixes
# refuses: what the bar shows has effects
# refuses: nothing tells what the bar runs over
import torch
from tqdm import tqdm


def sample(x: torch.Tensor, pairs, names):
    x = x.abs()
    for a in tqdm(pairs, desc=names.pop()):
        x = x * a
    for a in tqdm(iterable=pairs):
        x = x * a
    bar = tqdm(pairs)
    for a in bar:
        bar.set_description("x")
        x = x * a
    return x
