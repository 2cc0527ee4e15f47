# refuses: `self.initted` is a flag that is set once: it has to stay in the state_dict, so it can not be a bool
import torch
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("initted", torch.tensor([False]))
        self.register_buffer("embed", torch.zeros(4, dim))

    def init_embed_(self, data):
        if self.initted:
            return
        self.embed.data.copy_(data[:4])
        self.initted.data.copy_(torch.tensor([True]))

    def forward(self, x):
        x = x.tanh()
        self.init_embed_(x)
        return x @ self.embed.t()
