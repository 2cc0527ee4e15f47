# flags: --unsafe-fixes
import torch
from tqdm import tqdm

from bars import track


@torch.compiler.disable
def sample(x: torch.Tensor, pairs):
    for a in tqdm(pairs):
        x = x * a
    return x


def main(x: torch.Tensor, pairs):
    for a in track(pairs):
        x = x * a.abs()
    return x
