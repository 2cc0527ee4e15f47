# runs: make_callable make_inputs
import torch


def pieces(parts):
    lengths = torch.tensor([len(p) for p in parts], dtype=torch.int64)
    packed = torch.cat(parts)
    means = [piece.mean(0) for piece in torch.split(packed, lengths.tolist())]
    return torch.stack(means) / lengths.sqrt()[:, None]


def make_callable():
    return pieces


def make_inputs():
    return [(([torch.randn(2, 3), torch.randn(5, 3)],), {})]

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


def _numbers(tensor, ints):
    """`tensor.tolist()`, from the ints that it is made of where they are known."""
    if ints is None:
        return tensor.tolist()
    return [_numbers(None, i) for i in ints] if isinstance(ints, tuple) else ints


def pieces(parts):
    lengths_values = [len(p) for p in parts]
    lengths = torch.tensor(lengths_values, dtype=torch.int64)
    lengths_ints = _ints(lengths_values, 1)
    packed = torch.cat(parts)
    means = [piece.mean(0) for piece in torch.split(packed, _numbers(lengths, lengths_ints))]
    return torch.stack(means) / lengths.sqrt()[:, None]


def make_callable():
    return pieces


def make_inputs():
    return [(([torch.randn(2, 3), torch.randn(5, 3)],), {})]
