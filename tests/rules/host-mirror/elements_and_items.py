# runs: make_callable make_inputs
import torch


def crop(x, n: int):
    box = torch.tensor([[n, x.shape[1] - n], [0, n]])
    top = box[0, 0].item()
    left, right = box[1]
    part = x[top : box[0][1], left:right]
    return part * box.float().mean() + int(box[1, 1]) * x[box[1, 1]].sum()


def make_callable():
    return crop


def make_inputs():
    return [((torch.randn(6, 6), 2), {})]

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


def crop(x, n: int):
    box_values = [[n, x.shape[1] - n], [0, n]]
    box = torch.tensor(box_values)
    box_ints = _ints(box_values, 2)
    top = int(_mirror(box, box_ints)[0][0])
    left, right = _mirror(box, box_ints)[1]
    part = x[top : _mirror(box, box_ints)[0][1], left:right]
    return part * box.float().mean() + int(_mirror(box, box_ints)[1][1]) * x[_mirror(box, box_ints)[1][1]].sum()


def make_callable():
    return crop


def make_inputs():
    return [((torch.randn(6, 6), 2), {})]
