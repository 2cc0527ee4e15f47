# runs: make_callable make_inputs
import torch
from torch import nn


class Crop(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)

    def forward(self, images, offsets):
        crops = []
        for image, (top, left) in zip(images, offsets.tolist()):
            crops.append(image[:, top : top + 3, left : left + 3])
        return self.conv(torch.stack(crops))


def make_callable():
    torch.manual_seed(7)
    return Crop().eval()


def make_inputs():
    g = torch.Generator().manual_seed(7)
    x = torch.randn(2, 1, 6, 6, generator=g)
    return [((x, torch.tensor([[0, 1], [2, 3]])), {}), ((x, torch.tensor([[1, 1], [3, 0]])), {})]


# output
import torch
from torch import nn


class Crop(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)

    @torch._dynamo.decorators.skip
    def forward(self, images, offsets):
        return self._forward(images, offsets, offsets_value=offsets.tolist())

    def _forward(self, images, offsets, *, offsets_value):
        crops = []
        for image, (top, left) in zip(images, offsets_value):
            crops.append(image[:, top : top + 3, left : left + 3])
        return self.conv(torch.stack(crops))


def make_callable():
    torch.manual_seed(7)
    return Crop().eval()


def make_inputs():
    g = torch.Generator().manual_seed(7)
    x = torch.randn(2, 1, 6, 6, generator=g)
    return [((x, torch.tensor([[0, 1], [2, 3]])), {}), ((x, torch.tensor([[1, 1], [3, 0]])), {})]
