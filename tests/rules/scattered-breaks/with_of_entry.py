# runs: make_callable make_inputs
import torch


class Book:
    def __init__(self):
        self.entries = []

    def __enter__(self):
        return self.entries

    def __exit__(self, *_given):
        return False


BOOK = Book()


def step(x, weight):
    h = torch.relu(x @ weight)
    with BOOK as entries:
        entries.append(h.sum().item())
    return torch.tanh(h @ weight) * 2


def make_callable():
    return step


def make_inputs():
    g = torch.Generator().manual_seed(0)
    w = torch.randn(3, 3, generator=g)
    return [((torch.randn(2, 3, generator=g), w), {}) for _ in range(3)]

# output
import torch


class Book:
    def __init__(self):
        self.entries = []

    def __enter__(self):
        return self.entries

    def __exit__(self, *_given):
        return False


BOOK = Book()


@torch.compiler.disable
def _step_on_host(h):
    with BOOK as entries:
        entries.append(h.sum().item())


def _loop_start(x, weight):
    return torch.relu(x @ weight)


def _loop_end(h, weight):
    return torch.tanh(h @ weight) * 2


# Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
@torch._dynamo.decorators.skip
def step(x, weight):
    h = _loop_start(x, weight)
    _step_on_host(h)
    return _loop_end(h, weight)


def make_callable():
    return step


def make_inputs():
    g = torch.Generator().manual_seed(0)
    w = torch.randn(3, 3, generator=g)
    return [((torch.randn(2, 3, generator=g), w), {}) for _ in range(3)]
