# flags: --unsafe-fixes
import torch
from tqdm import tqdm, trange


def sample(x: torch.Tensor, pairs):
    x = x.abs()
    for a, b in tqdm(pairs, desc="sampling", total=len(pairs)):
        x = x * a + b
    for i in trange(2, 9):
        x = x + i  # one step
    return x


# output
import torch
from tqdm import tqdm, trange


def sample(x: torch.Tensor, pairs):
    x = x.abs()
    for a, b in pairs if torch.compiler.is_compiling() else tqdm(pairs, desc="sampling", total=len(pairs)):
        x = x * a + b
    for i in range(2, 9) if torch.compiler.is_compiling() else trange(2, 9):
        x = x + i  # one step
    return x
