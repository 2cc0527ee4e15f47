# refuses: one call makes several results of what the mask selects, and may need whole rows of it
import torch
from torch import nn


class Spline(nn.Module):
    def forward(self, inputs, widths):
        inside = (inputs >= -1) & (inputs <= 1)
        outputs, logabsdet = torch.zeros_like(inputs), torch.zeros_like(inputs)
        outputs[inside], logabsdet[inside] = self.spline(inputs[inside], widths[inside, :])
        return outputs, logabsdet

    def spline(self, x, w):
        return x * w.softmax(-1).sum(-1), x.log()
