# refuses: a relative import can not be asked for by name
import torch


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            from .kernels import fused
        except ImportError:
            return x
        return fused(x)
