# runs: make_callable make_inputs
import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def forward(self, x, mask, scale=1.0):
        far = mask > 1
        any_far = far.flatten().any().item()
        return x.cumsum(1) * scale if any_far else x * scale


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def _padded(self, x, mask):
        extra = -x.shape[1] % 4
        if extra > 0:
            x = F.pad(x, (0, 0, 0, extra))
            mask = F.pad(mask, (0, extra), value=0)
        return x, mask

    def forward(self, x, mask=None, far_mask=None):
        if mask is None:
            mask = torch.ones(x.shape[:2], device=x.device)
        if far_mask is not None:
            mask = mask * (far_mask + 1)
        x, mask = self._padded(x, mask)
        return self.encoder(x, mask=mask[:, None].squeeze(1))


def make_callable():
    return Model()


def make_inputs():
    return [((torch.randn(2, 3, 4),), {})]

# output
import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def forward(self, x, mask, scale=1.0, *, mask_absent=False):
        far = mask > 1
        any_far = False if mask_absent else far.flatten().any().item()
        return x.cumsum(1) * scale if any_far else x * scale


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def _padded(self, x, mask):
        extra = -x.shape[1] % 4
        if extra > 0:
            x = F.pad(x, (0, 0, 0, extra))
            mask = F.pad(mask, (0, extra), value=0)
        return x, mask

    def forward(self, x, mask=None, far_mask=None):
        mask_and_far_mask_absent = mask is None and far_mask is None
        if mask is None:
            mask = torch.ones(x.shape[:2], device=x.device)
        if far_mask is not None:
            mask = mask * (far_mask + 1)
        x, mask = self._padded(x, mask)
        return self.encoder(x, mask=mask[:, None].squeeze(1), mask_absent=mask_and_far_mask_absent)


def make_callable():
    return Model()


def make_inputs():
    return [((torch.randn(2, 3, 4),), {})]
