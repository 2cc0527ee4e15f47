import torch
from torch import nn


class Blocks(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.block_size = config.block_size
        self.config = config

    def forward(self, bias: torch.Tensor, key_length: int, heads):
        keep = (bias == 0.0).repeat_interleave(self.block_size, dim=-1)[..., :key_length]
        keep = keep.repeat_interleave(self.config.heads // heads, dim=1)
        return bias.masked_fill(keep, 0.0)
