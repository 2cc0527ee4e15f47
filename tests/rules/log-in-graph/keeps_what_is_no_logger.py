import math

import torch


class Optimizer:
    def warning(self, text):
        return text


def log(x):
    return x


def f(x: torch.Tensor, optimizer) -> torch.Tensor:
    y = torch.log(x) + math.log(2.0) + x.log()
    optimizer.step()
    optimizer.info("text")
    log(y)
    return y
