# runs: make_callable make_inputs
import torch


def first_places(mask: torch.Tensor):
    first = torch.full((mask.shape[0],), mask.shape[1], dtype=torch.int64, device=mask.device)
    first += 0
    for i, row in enumerate(mask):
        found = row.nonzero()
        if found.numel():
            first[i] = found[0, 0]
    return first


@torch.compile
def score(x, mask):
    return x * 2 + first_places(mask)


def make_callable():
    return score


def make_inputs():
    return [((torch.randn(2), torch.tensor([[False, True], [False, False]])), {})]

# output
import functools

import torch


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


def _first_places_shapes(mask):
    first = torch.full((mask.shape[0],), mask.shape[1], dtype=torch.int64, device=mask.device)
    return first


@_opaque("(Tensor mask) -> Tensor", _first_places_shapes)
def first_places(mask: torch.Tensor):
    first = torch.full((mask.shape[0],), mask.shape[1], dtype=torch.int64, device=mask.device)
    first += 0
    for i, row in enumerate(mask):
        found = row.nonzero()
        if found.numel():
            first[i] = found[0, 0]
    return first


@torch.compile
def score(x, mask):
    return x * 2 + first_places(mask)


def make_callable():
    return score


def make_inputs():
    return [((torch.randn(2), torch.tensor([[False, True], [False, False]])), {})]
