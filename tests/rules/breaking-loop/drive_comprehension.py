# runs: make_lookup make_inputs
import torch


class Table:
    def __init__(self, size=8):
        self.keys = torch.linspace(0, 7, size)
        self.values = torch.linspace(1, 0, size)

    def place(self, key):
        distance = (self.keys - key).square().sqrt() * 2
        near = (distance.round() == 0) & (distance.isfinite())
        found = torch.nonzero(near)
        if found.shape[0] == 0:
            raise KeyError("no such key")
        return found[0].item()

    def mixed(self, x, y, keys):
        places = [self.place(key) for key in keys]
        share = self.values[places].reshape(-1, 1)
        mixed = x * share + y * (1 - share)
        return (mixed - mixed.mean()) / (mixed.std() + 1)


def make_lookup():
    return Table().mixed


def make_inputs():
    x = torch.linspace(-1, 1, 12).view(3, 4)
    return [((x, x.cos(), torch.tensor(k)), {}) for k in ([0.0, 3.0, 7.0], [1.0, 1.0, 5.0])]


# output
import torch


class Table:
    def __init__(self, size=8):
        self.keys = torch.linspace(0, 7, size)
        self.values = torch.linspace(1, 0, size)

    # A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def place(self, key):
        near = self._place_start(key)
        found = torch.nonzero(near)
        if found.shape[0] == 0:
            raise KeyError("no such key")
        return found[0].item()

    def _place_start(self, key):
        distance = (self.keys - key).square().sqrt() * 2
        return (distance.round() == 0) & (distance.isfinite())

    # A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def mixed(self, x, y, keys):
        places = [self.place(key) for key in keys]
        return self._mixed_end(x, y, self.values[places])

    def _mixed_end(self, x, y, values_places):
        share = values_places.reshape(-1, 1)
        mixed = x * share + y * (1 - share)
        return (mixed - mixed.mean()) / (mixed.std() + 1)


def make_lookup():
    return Table().mixed


def make_inputs():
    x = torch.linspace(-1, 1, 12).view(3, 4)
    return [((x, x.cos(), torch.tensor(k)), {}) for k in ([0.0, 3.0, 7.0], [1.0, 1.0, 5.0])]
