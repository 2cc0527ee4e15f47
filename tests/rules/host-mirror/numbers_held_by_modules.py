# runs: make_callable make_inputs
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
        return frames * self.stride + self.kernel_size - self.padding_total - length

    @staticmethod
    def _pad(x, paddings, mode="reflect"):
        length = x.shape[-1]
        left, right = paddings
        most = max(left, right)
        more = 0
        if length <= most:
            more = most - length + 1
            x = F.pad(x, (0, more))
        padded = F.pad(x, paddings, mode)
        return padded[..., : padded.shape[-1] - more]

    def forward(self, x):
        extra = self._extra(x)
        if self.causal:
            x = self._pad(x, (self.padding_total, extra))
        else:
            right = self.padding_total // 2
            left = self.padding_total - right
            x = self._pad(x, (left, right + extra))
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


# output
import torch
from torch import nn
import torch.nn.functional as F


def _traced(tensor, number):
    """While compiling the int that a tensor holds, where that is known; the tensor otherwise."""
    return number if torch.compiler.is_compiling() and type(number) is int else tensor


class Conv(nn.Module):
    def __init__(self, kernel_size=5, stride=2, causal=True):
        super().__init__()
        self.causal = causal
        self.conv = nn.Conv1d(4, 4, kernel_size, stride)
        stride_int = self.conv.stride[0]
        stride = torch.tensor(self.conv.stride[0], dtype=torch.int64)
        kernel_size_int = self.conv.kernel_size[0]
        kernel_size = torch.tensor(self.conv.kernel_size[0], dtype=torch.int64)
        self.register_buffer("stride", stride, persistent=False)
        self._stride_int = stride_int
        self.register_buffer("kernel_size", kernel_size, persistent=False)
        self._kernel_size_int = kernel_size_int
        self.register_buffer("padding_total", kernel_size - stride, persistent=False)
        self._padding_total_int = kernel_size_int - stride_int

    def _extra(self, x):
        length = x.shape[-1]
        frames = (length - self.kernel_size + self.padding_total) / self.stride + 1
        frames = torch.ceil(frames).to(torch.int64) - 1
        return frames * self.stride + self.kernel_size - self.padding_total - length

    @torch.compiler.assume_constant_result
    def _extra_int(self, x_shape, *_numbers):
        """`_extra` while tracing: an int that follows from those shapes and numbers."""
        return int(self._extra(torch.empty(x_shape, device="meta")))

    @staticmethod
    def _pad(x, paddings, mode="reflect"):
        length = x.shape[-1]
        left, right = paddings
        most = max(left, right)
        more = 0
        if length <= most:
            more = most - length + 1
            x = F.pad(x, (0, more))
        padded = F.pad(x, paddings, mode)
        return padded[..., : padded.shape[-1] - more]

    def forward(self, x):
        extra = (
            self._extra_int(x.shape, self._kernel_size_int, self._padding_total_int, self._stride_int)
            if torch.compiler.is_compiling()
            else self._extra(x)
        )
        if self.causal:
            x = self._pad(x, (_traced(self.padding_total, self._padding_total_int), extra))
        else:
            right = _traced(self.padding_total, self._padding_total_int) // 2
            left = _traced(self.padding_total, self._padding_total_int) - right
            x = self._pad(x, (left, right + extra))
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
