import torch


def run_experts(weights, tokens, counts):
    sizes = counts.tolist()
    used = sum(sizes)
    parts = torch.split(tokens[:used], sizes, dim=0)
    return torch.cat([torch.relu(p @ w) for p, w in zip(parts, weights)], dim=0)


# output
import torch


@torch._dynamo.decorators.skip
def run_experts(weights, tokens, counts):
    sizes = counts.tolist()
    return _run_experts(weights, tokens, counts, sizes=sizes)


def _run_experts(weights, tokens, counts, *, sizes):
    used = sum(sizes)
    parts = torch.split(tokens[:used], sizes, dim=0)
    return torch.cat([torch.relu(p @ w) for p, w in zip(parts, weights)], dim=0)
