import torch


def support(x: torch.Tensor, k=None):
    if k is None or k >= x.shape[-1]:
        top, _ = torch.sort(x, dim=-1, descending=True)
    else:
        top, _ = torch.topk(x, k=k, dim=-1)
    size = (top > 0).sum(dim=-1).unsqueeze(-1)
    unsolved = (size == k).squeeze(-1)
    return top, unsolved
