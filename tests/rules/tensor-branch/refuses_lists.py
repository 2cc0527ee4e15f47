# refuses: where it shows that the graph gives a new list
# refuses: may raise where the condition does not hold
# refuses: may be changed by
import torch


def returned(grads, max_norm: float):
    total = torch.sqrt(sum(g.pow(2).sum() for g in grads))
    if total > max_norm:
        grads = [g * max_norm for g in grads]
    return grads, total


def divided(params, grads, n: int):
    total = torch.sqrt(sum(g.pow(2).sum() for g in grads))
    if total > 1.0:
        grads = [g * (1 / n) for g in grads]
    return [p - g for p, g in zip(params, grads)], total


def changed(params, grads):
    total = torch.sqrt(sum(g.pow(2).sum() for g in grads))
    if total > 1.0:
        grads = [g * 0.5 for g in grads]
    for g in grads:
        g.mul_(2)
    return [p - g for p, g in zip(params, grads)], total
