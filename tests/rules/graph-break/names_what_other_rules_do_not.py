# refuses: the size of its result depends on the values
# refuses: Python's random numbers are drawn outside of any graph
# refuses: Python needs the numbers themselves
# refuses: which way Python goes depends on the value of a tensor
import random

import torch


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.f = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, limit: torch.Tensor):
        h = self.f(x)
        for _ in range(2):
            h = h + random.random()
        kept = [h[i].nonzero() for i in range(2)]
        sizes = [k.sum(0).tolist() for k in kept]
        if h.sum() > 0:
            self.sizes = sizes
            return h, None
        while h.sum() < limit:
            h = h + 1
        return h, sizes
