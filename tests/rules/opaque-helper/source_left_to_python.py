import time

import torch


def probe(x):
    began = time.time()
    rows = x.tolist()
    print("probe", x.shape)
    return max(rows), time.time() - began


def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    worst, _ = probe(y)
    return y / worst


# output
import time

import torch


@torch.compiler.disable
def probe(x):
    began = time.time()
    rows = x.tolist()
    print("probe", x.shape)
    return max(rows), time.time() - began


def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    worst, _ = probe(y)
    return y / worst
