# refuses: changes something a caller can see
import torch


class Buffered(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.add_(1)
        if x.isnan().any():
            raise ValueError("holes")
        return x
