import torch


def step(x, sigma: float, rate: float, power: float):
    x = torch.sign(x) * sigma
    if sigma > 1.0:
        x = torch.nn.functional.dropout(x, 0.5)
    if sigma > 2.0:
        x = x @ x
    if sigma < 3.0:
        x = 1 / x
        y = x
    if rate > 0.5:
        x = x * 2
    if sigma > 4.0:
        return x
    if sigma > 5.0:
        z = x * sigma
    return x
