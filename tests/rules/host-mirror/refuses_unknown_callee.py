# refuses: `shapes` is given to `self.encoder` on line 9
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
        for _ in range(2):
            x = self.encoder(x, shapes)
            x = torch.cat([x[:h, :w] for h, w in shapes])
        return x
