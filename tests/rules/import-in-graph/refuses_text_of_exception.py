# refuses: its handler looks at the exception
import torch


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            from kernels_that_nobody_has import fused
        except ImportError as error:
            raise RuntimeError("install the kernels") from error
        return fused(x)
