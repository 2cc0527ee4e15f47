# refuses: what is read is used in another way too
# refuses: nothing tells when the generator runs
# refuses: the mapping has no name
# refuses: reading first would change an order
# refuses: `h.add_` may change what is read after it
import torch


def make(x: torch.Tensor) -> dict:
    return {"x": x.sum()}


def f(x: torch.Tensor, log: list):
    h = x.tanh() * x
    losses = [h.min(), h.max()]
    a = sum(v.item() for v in losses if v > 0)
    b = tuple((v, v.item()) for v in losses)
    c = (v.item() for v in losses)
    d = dict((k, v.item()) for k, v in make(h).items())
    e = list(log.append(v.item()) for v in losses)
    return a, b, c, d, e, (h.min().item(), h.add_(1), h.max().item())
