# runs: make_callable make_inputs
"""Position grids for feature maps of several sizes."""
import torch


def grids(maps, ratios):
    sizes = []
    for m in maps:
        batch, channels, height, width = m.shape
        sizes.append((height, width))
    shapes = torch.as_tensor(sizes, dtype=torch.long, device=maps[0].device)  # one row a map
    start = 0
    out = []
    for level, (height, width) in enumerate(shapes):
        rows = torch.linspace(0.5, height - 0.5, height)
        weights = ratios[:, start : start + height * width].view(-1, height, width)
        out.append((rows[None, :, None] / (ratios[:, None, level, None] * height) * weights).sum())
        start += height * width
    return torch.stack(out), shapes.prod(1)


def make_callable():
    return grids


def make_inputs():
    maps = [torch.randn(2, 3, 4, 5), torch.randn(2, 3, 2, 3)]
    return [((maps, torch.rand(2, 26) + 1), {})]

# output
"""Position grids for feature maps of several sizes."""
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


def grids(maps, ratios):
    sizes = []
    for m in maps:
        batch, channels, height, width = m.shape
        sizes.append((height, width))
    shapes = torch.as_tensor(sizes, dtype=torch.long, device=maps[0].device)  # one row a map
    shapes_ints = _ints(sizes, 2)
    start = 0
    out = []
    for level, (height, width) in enumerate(_mirror(shapes, shapes_ints)):
        rows = torch.linspace(0.5, height - 0.5, height)
        weights = ratios[:, start : start + height * width].view(-1, height, width)
        out.append((rows[None, :, None] / (ratios[:, None, level, None] * height) * weights).sum())
        start += height * width
    return torch.stack(out), shapes.prod(1)


def make_callable():
    return grids


def make_inputs():
    maps = [torch.randn(2, 3, 4, 5), torch.randn(2, 3, 2, 3)]
    return [((maps, torch.rand(2, 26) + 1), {})]
