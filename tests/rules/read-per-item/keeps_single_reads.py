import torch


def f(x: torch.Tensor, rows: list) -> dict:
    h = x.tanh() * x
    print(h.min().item(), h.max().item())
    a = h.sum().item()
    b = [r.sum() for r in rows]
    c = h.min().item() if a > 0 else h.max().item()
    return {"a": a, "b": b, "c": c}


@torch.compiler.disable
def g(losses: list) -> list:
    return [loss.item() for loss in losses]
