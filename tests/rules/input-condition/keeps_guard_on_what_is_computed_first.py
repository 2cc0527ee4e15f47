import torch


class Momentum:
    def __init__(self, beta=0.9):
        self.beta = beta
        self.seen = []

    def step(self, p: torch.Tensor, grad: torch.Tensor):
        last = self.mix(self.seen)
        if len(last) == 0:
            if p.any():
                grad = grad + p
        self.seen.append(grad)
        return grad * self.beta

    def mix(self, seen):
        return [s * 2 for s in seen]


def make_callable():
    return Momentum().step
