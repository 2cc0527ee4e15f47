# refuses: `(self.padding_total, extra)` on line
# flags: --unsafe-fixes
import torch
from torch import nn
import torch.nn.functional as F


class Conv(nn.Module):
    def __init__(self, kernel_size=5, stride=2, causal=True):
        super().__init__()
        self.causal = causal
        self.conv = nn.Conv1d(4, 4, kernel_size, stride)
        stride = torch.tensor(self.conv.stride[0], dtype=torch.int64)
        kernel_size = torch.tensor(self.conv.kernel_size[0], dtype=torch.int64)
        self.register_buffer("stride", stride, persistent=False)
        self.register_buffer("kernel_size", kernel_size, persistent=False)
        self.register_buffer("padding_total", kernel_size - stride, persistent=False)

    def _extra(self, x):
        length = x.shape[-1]
        frames = (length - self.kernel_size + self.padding_total) / self.stride + 1
        frames = torch.ceil(frames).to(torch.int64) - 1
        frames = frames + (x.sum() > 0)
        return frames * self.stride + self.kernel_size - self.padding_total - length

    def forward(self, x):
        extra = self._extra(x)
        x = F.pad(x, (self.padding_total, extra))
        return self.conv(x).relu()


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Conv(), Conv(3, 1, causal=False), Conv(4, 2)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def make_callable():
    torch.manual_seed(0)
    return Encoder()


def make_inputs():
    return [((torch.randn(2, 4, 9),), {}), ((torch.randn(3, 4, 4),), {})]
