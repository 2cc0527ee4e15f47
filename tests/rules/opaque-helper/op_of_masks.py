# runs: make_callable make_inputs
from typing import Tuple

import torch
from torch import nn

STOPS = [0, 3]


def segments(ids: torch.LongTensor, width: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """Which tokens of a segment see each other, and their places in it."""
    batch, length = ids.shape
    stops = torch.zeros((batch, length), device=ids.device).bool()
    for stop in STOPS:
        stops |= ids == stop
    # one mask for each row
    mask = torch.eye(length, device=ids.device).bool().unsqueeze(0).repeat(batch, 1, 1)
    places = torch.zeros((batch, length), device=ids.device)
    before = 0
    for row, column in torch.nonzero(stops):
        if column == 0 or column > width:
            mask[row, column, column] = True
        else:
            mask[row, before : column + 1, before : column + 1] = True
            places[row, before : column + 1] = torch.arange(0, column - before + 1, device=ids.device)
        before = column if column < length - 1 else 0
    return mask, places.to(torch.long)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 8)
        self.place = nn.Embedding(16, 8)

    def forward(self, ids):
        mask, places = segments(ids, width=6)
        hidden = self.embed(ids) + self.place(places)
        scores = (hidden @ hidden.transpose(1, 2)).masked_fill(~mask, -1e4)
        return scores.softmax(-1) @ hidden


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.tensor([[0, 1, 2, 3, 5, 3], [1, 0, 1, 1, 1, 1]]),), {}), ((torch.ones(1, 4, dtype=torch.long),), {})]

# output
import functools
from typing import Tuple

import torch
from torch import nn

STOPS = [0, 3]


def _opaque(schema, shapes):
    """Run a function as one op while compiling, whose results are shaped as those of `shapes`; directly otherwise."""

    def mark(fn):
        name = f"{__name__}::{fn.__name__}".replace(".", "_")
        op = torch.library.custom_op(name, fn, mutates_args=(), schema=schema)
        op.register_fake(shapes)

        @functools.wraps(fn)
        def step(*args, **kwargs):
            return (op if torch.compiler.is_compiling() else fn)(*args, **kwargs)

        return step

    return mark


def _segments_shapes(ids, width):
    batch, length = ids.shape
    mask = torch.eye(length, device=ids.device).bool().unsqueeze(0).repeat(batch, 1, 1)
    places = torch.zeros((batch, length), device=ids.device)
    return mask, places.to(torch.long)


@_opaque("(Tensor ids, int width) -> (Tensor, Tensor)", _segments_shapes)
def segments(ids: torch.LongTensor, width: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """Which tokens of a segment see each other, and their places in it."""
    batch, length = ids.shape
    stops = torch.zeros((batch, length), device=ids.device).bool()
    for stop in STOPS:
        stops |= ids == stop
    # one mask for each row
    mask = torch.eye(length, device=ids.device).bool().unsqueeze(0).repeat(batch, 1, 1)
    places = torch.zeros((batch, length), device=ids.device)
    before = 0
    for row, column in torch.nonzero(stops):
        if column == 0 or column > width:
            mask[row, column, column] = True
        else:
            mask[row, before : column + 1, before : column + 1] = True
            places[row, before : column + 1] = torch.arange(0, column - before + 1, device=ids.device)
        before = column if column < length - 1 else 0
    return mask, places.to(torch.long)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 8)
        self.place = nn.Embedding(16, 8)

    def forward(self, ids):
        mask, places = segments(ids, width=6)
        hidden = self.embed(ids) + self.place(places)
        scores = (hidden @ hidden.transpose(1, 2)).masked_fill(~mask, -1e4)
        return scores.softmax(-1) @ hidden


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.tensor([[0, 1, 2, 3, 5, 3], [1, 0, 1, 1, 1, 1]]),), {}), ((torch.ones(1, 4, dtype=torch.long),), {})]
