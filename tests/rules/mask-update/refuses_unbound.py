# refuses: `known` may be unbound
import torch


def score(rss: torch.Tensor, tss: torch.Tensor, some: bool):
    out = torch.ones_like(rss)
    if some:
        known = (rss != 0) & (tss != 0)
    out[known] = 1 - rss[known] / tss[known]
    return out
