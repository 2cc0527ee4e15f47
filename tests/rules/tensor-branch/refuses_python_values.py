# refuses: host value
import torch


@torch.compile
def step(x):
    h = torch.tanh(x)
    if h.abs().max() > 0.5:
        done = True
    else:
        done = False
    return h, done
