# refuses: may change from call to call
import torch


@torch.compile
def tempered(x, temperature: float):
    h = torch.tanh(x)
    if h.mean() > 0:
        h = (h / h.std()) * temperature
    return h
