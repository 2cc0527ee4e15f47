# runs: make_callable make_inputs
import torch


def windows(x, size: int):
    step = torch.tensor(size, device=x.device)
    if x.shape[0] < step:
        return x
    if step > 2:
        x = x[step:]
    return x.float() / step


def make_callable():
    return windows


def make_inputs():
    return [((torch.randn(6), 3), {}), ((torch.randn(2), 4), {}), ((torch.arange(6), 1), {})]

# output
import torch


def _ints(values, depth):
    """The ints in `depth` nested lists, as tuples; None outside of compiled code, and for anything else."""
    if not torch.compiler.is_compiling():
        return None
    if depth > 0:
        parts = [_ints(v, depth - 1) for v in values] if isinstance(values, (list, tuple)) else [None]
        return None if any(p is None for p in parts) else tuple(parts)
    return values if isinstance(values, int) and not isinstance(values, bool) else None


def _mirror(tensor, ints):
    """The ints that a tensor is made of where they are known, the tensor otherwise."""
    return tensor if ints is None else ints


def windows(x, size: int):
    step = torch.tensor(size, device=x.device)
    step_ints = _ints(size, 0)
    if x.shape[0] < _mirror(step, step_ints):
        return x
    if _mirror(step, step_ints) > 2:
        x = x[_mirror(step, step_ints):]
    return x.float() / step


def make_callable():
    return windows


def make_inputs():
    return [((torch.randn(6), 3), {}), ((torch.randn(2), 4), {}), ((torch.arange(6), 1), {})]
