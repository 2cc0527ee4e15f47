import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("embed", torch.zeros(2, 3))
        self.register_buffer("usage", torch.zeros(2))

    def expire(self, flat):
        dead = self.usage < 1
        if not torch.any(dead):
            return
        pick = torch.randint(0, flat.shape[0], (2,))
        self.embed.copy_(torch.where(dead[:, None], flat[pick], self.embed))

    def forward(self, x):
        self.expire(x)
        return x + self.embed
