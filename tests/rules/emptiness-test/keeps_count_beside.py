import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x: torch.Tensor):
        y = x * 2
        bad = y > 3
        if bad.any():
            y[bad] = 0.0
            self.seen += 1
        return y
