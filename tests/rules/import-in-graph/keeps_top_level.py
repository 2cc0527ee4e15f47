import torch

try:
    from kernels_that_nobody_has import fused
except ImportError:
    fused = None


class Scale(torch.nn.Module):
    def forward(self, x):
        return x * 2 if fused is None else fused(x)
