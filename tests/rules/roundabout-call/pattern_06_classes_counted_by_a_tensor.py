# runs: make_callable make_inputs
import torch
import torch.nn.functional as F


def safe_one_hot(indexes, max_length):
    max_index = indexes.max() + 1
    one_hot_classes = max(max_index + 1, max_length)
    return F.one_hot(indexes, one_hot_classes)[..., :max_length]


def dispatch(indexes: torch.Tensor, n: int):
    rows = F.one_hot(indexes, max(int(indexes.max()) + 1, n))[..., :n]
    return rows + safe_one_hot(indexes, n)


def make_callable():
    return dispatch


def make_inputs():
    i = torch.tensor([[0, 1], [7, 2]])
    return [((i, 4), {}), ((i, 9), {}), ((i - 1, 4), {})]


# output
import torch
import torch.nn.functional as F


def _one_hot(index, count, original):
    """`original()`, or while compiling the same zeros and ones in `count` columns, by comparisons alone."""
    if not torch.compiler.is_compiling() or not isinstance(count, int) or count < 0:
        return original()
    if index.dtype != torch.int64 or index.numel() == 0:
        return original()
    torch._assert_async((index >= 0).all(), "Class values must be non-negative.")
    return (index.unsqueeze(-1) == torch.arange(count, device=index.device)).to(torch.int64)


def safe_one_hot(indexes, max_length):
    max_index = indexes.max() + 1
    return _one_hot(indexes, max_length, lambda: F.one_hot(indexes, max(max_index + 1, max_length))[..., :max_length])


def dispatch(indexes: torch.Tensor, n: int):
    rows = _one_hot(indexes, n, lambda: F.one_hot(indexes, max(int(indexes.max()) + 1, n))[..., :n])
    return rows + safe_one_hot(indexes, n)


def make_callable():
    return dispatch


def make_inputs():
    i = torch.tensor([[0, 1], [7, 2]])
    return [((i, 4), {}), ((i, 9), {}), ((i - 1, 4), {})]
