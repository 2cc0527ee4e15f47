# refuses: its handler takes only some failures of an import
import torch


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            from kernels_that_nobody_has import fused
        except ModuleNotFoundError:
            return x
        return fused(x)
