import torch


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            from kernels_that_nobody_has import fused
        except KeyError:
            return x
        return fused(x)
