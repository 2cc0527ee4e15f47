# runs: make_model make_inputs
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, y):
        values = [float(e) for e in x[:, 0] + x.sum().sqrt()]
        if len(values) > 2 and values[0] > 0:
            h = self.layer(x) + y
            print(h.sum().item(), values)
        elif self.training:
            h = self.layer(x) * 2 + y * 3  # louder
        else:
            h = self.layer(x) * 3 - y
        return torch.relu(h) + 1


def make_model():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.rand(n, 4, generator=g), torch.rand(n, 4, generator=g)), {}) for n in (3, 1)]


# output
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    # A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x, y):
        values = [float(e) for e in x[:, 0] + x.sum().sqrt()]
        if len(values) > 2 and values[0] > 0:
            h = self._loop_end(x, y)
            print(h.sum().item(), values)
        else:
            h = self._loop_end_2(x, y)
        return self._loop_end_3(h)

    def _loop_end(self, x, y):
        return self.layer(x) + y

    def _loop_end_2(self, x, y):
        if self.training:
            h = self.layer(x) * 2 + y * 3  # louder
        else:
            h = self.layer(x) * 3 - y
        return h

    def _loop_end_3(self, h):
        return torch.relu(h) + 1


def make_model():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.rand(n, 4, generator=g), torch.rand(n, 4, generator=g)), {}) for n in (3, 1)]
