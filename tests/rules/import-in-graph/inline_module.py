# runs: make_callable make_inputs
import torch


def scale(x):
    h = torch.tanh(x)
    try:
        # The fast path.
        import package_that_nobody_has.deep as deep
    except Exception:
        return h * 2
    return deep.scale(h)


def make_callable():
    return scale


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x.double(),), {})]

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


def scale(x):
    h = torch.tanh(x)
    try:
        # The fast path.
        if torch.compiler.is_compiling() and _can_import("package_that_nobody_has.deep") is None:
            raise ImportError
        import package_that_nobody_has.deep as deep
    except Exception:
        return h * 2
    return deep.scale(h)


def make_callable():
    return scale


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x.double(),), {})]