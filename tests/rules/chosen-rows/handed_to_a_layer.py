# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch
from torch import nn


class Patches(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.fused = fused
        self.proj = nn.Conv2d(1, 3, 2, stride=2)
        self.local = nn.Conv2d(1, 3, 2, stride=2)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x, longer=None):
        if self.fused:
            y = self.proj(x[:, :1])
            if len(longer) > 0:
                part = x[longer, 1:, :, :].contiguous()
                batch, channels, height, width = part.shape
                part = self.local(part.view(batch * channels, 1, height, width))
                _, features, height, width = part.shape
                part = part.view(batch, channels, features, height, width).permute((0, 2, 3, 4, 1)).mean(-1)
                y[longer] = self.norm(
                    y[longer] + part  # both sizes
                )
        else:
            y = self.proj(x)
        return y.flatten(2)


class Encoder(nn.Module):
    def __init__(self, fused=True):
        super().__init__()
        self.fused = fused
        self.patches = Patches(fused)

    def forward(self, x, is_longer):
        """Patches of the spectrogram."""
        longer = None
        if self.fused:
            longer = torch.where(is_longer == 1)[0]
        return self.patches(x, longer)


def make_callable():
    torch.manual_seed(0)
    return Encoder().eval()


def make_inputs():
    torch.manual_seed(1)
    x = torch.randn(3, 3, 4, 4)
    some, none = torch.tensor([[1], [0], [1]]), torch.zeros(3, 1)
    return [((x, some), {}), ((x, none), {})]

# output
import torch
from torch import nn


def _rows(mask, whole=True):
    """`torch.where(mask)[0]`, or while compiling all rows, whether selected or not, where each has one element."""
    if torch.compiler.is_compiling() and whole and mask.dim() > 0 and mask.numel() == len(mask):
        return torch.arange(len(mask), device=mask.device)
    return torch.where(mask)[0]


def _chosen(mask, value, target=None, rows=None):
    """`value`, with a row for each place; while compiling with zeros, or what `target` has there, in other places."""
    if not torch.compiler.is_compiling() or mask is None or len(value) != mask.numel():
        return value
    wide = mask.reshape(-1, *[1] * (value.dim() - 1)) != 0
    return torch.where(wide, value, 0 if target is None else target[rows])


class Patches(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.fused = fused
        self.proj = nn.Conv2d(1, 3, 2, stride=2)
        self.local = nn.Conv2d(1, 3, 2, stride=2)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x, longer=None, *, longer_mask=None):
        if self.fused:
            y = self.proj(x[:, :1])
            if len(longer) > 0:
                part = x[longer, 1:, :, :].contiguous()
                batch, channels, height, width = part.shape
                part = self.local(part.view(batch * channels, 1, height, width))
                _, features, height, width = part.shape
                part = part.view(batch, channels, features, height, width).permute((0, 2, 3, 4, 1)).mean(-1)
                y[longer] = _chosen(longer_mask, self.norm(
                    y[longer] + part  # both sizes
                ), y, longer)
        else:
            y = self.proj(x)
        return y.flatten(2)


class Encoder(nn.Module):
    def __init__(self, fused=True):
        super().__init__()
        self.fused = fused
        self.patches = Patches(fused)

    def forward(self, x, is_longer):
        """Patches of the spectrogram."""
        longer_mask = None
        longer = None
        if self.fused:
            longer_mask = is_longer == 1
            longer = _rows(longer_mask, not self.training)
        return self.patches(x, longer, longer_mask=longer_mask)


def make_callable():
    torch.manual_seed(0)
    return Encoder().eval()


def make_inputs():
    torch.manual_seed(1)
    x = torch.randn(3, 3, 4, 4)
    some, none = torch.tensor([[1], [0], [1]]), torch.zeros(3, 1)
    return [((x, some), {}), ((x, none), {})]
