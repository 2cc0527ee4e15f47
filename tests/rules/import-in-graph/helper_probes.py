# runs: make_callable make_inputs
import torch


def load_kernel():
    try:
        from kernels_that_nobody_has import fused

        return fused
    except ImportError:
        return None


class Attention(torch.nn.Module):
    def forward(self, x):
        kernel = load_kernel()
        if kernel is not None:
            return kernel(x)
        return torch.softmax(x, dim=-1)


def make_callable():
    return Attention()


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x * 2,), {})]

# output
import sys

import torch


@torch.compiler.assume_constant_result
def _can_import(module, *names):
    """The names if the import works, else None; asked while tracing, as Dynamo can not trace one that fails."""
    try:
        __import__(module, fromlist=names)
        return names if all(hasattr(sys.modules[module], name) for name in names) else None
    except ImportError:
        return None


def load_kernel():
    try:
        if torch.compiler.is_compiling() and _can_import("kernels_that_nobody_has", "fused") is None:
            raise ImportError
        from kernels_that_nobody_has import fused

        return fused
    except ImportError:
        return None


class Attention(torch.nn.Module):
    def forward(self, x):
        kernel = load_kernel()
        if kernel is not None:
            return kernel(x)
        return torch.softmax(x, dim=-1)


def make_callable():
    return Attention()


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x * 2,), {})]