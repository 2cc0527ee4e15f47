import torch


class Fill(torch.nn.Module):
    def __init__(self, spare=None):
        super().__init__()
        self.spare = spare

    def forward(self, x: torch.Tensor, spare: torch.Tensor | None = None):
        y = x * 2
        bad = y > 3
        if bad.any():
            y = torch.where(bad, spare, y)
        return y.sum()
