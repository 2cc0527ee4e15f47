# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch


@torch.compile
def refined(x, doubtful, weight):
    y = torch.relu(x)
    rows = torch.where(doubtful)[0]
    if rows.numel() > 0:
        y[rows] = (x[rows] @ weight).sigmoid()
    return y * 2


def make_callable():
    return refined


def make_inputs():
    torch.manual_seed(0)
    x, weight = torch.randn(3, 4), torch.randn(4, 4)
    return [((x, torch.tensor([True, False, True]), weight), {}), ((x, torch.zeros(3, dtype=torch.bool), weight), {})]

# output
import torch


def _rows(mask, whole=True):
    """`torch.where(mask)[0]`, or while compiling all rows, whether selected or not, where each has one element."""
    if torch.compiler.is_compiling() and whole and mask.dim() > 0 and mask.numel() == len(mask):
        return torch.arange(len(mask), device=mask.device)
    return torch.where(mask)[0]


def _chosen(mask, value, target=None, rows=None):
    """`value`, with a row for each place; while compiling with zeros, or what `target` has there, in other places."""
    if not torch.compiler.is_compiling() or mask is None or len(value) != mask.numel():
        return value
    wide = mask.reshape(-1, *[1] * (value.dim() - 1)) != 0
    return torch.where(wide, value, 0 if target is None else target[rows])


@torch.compile
def refined(x, doubtful, weight):
    y = torch.relu(x)
    rows_mask = doubtful
    rows = _rows(rows_mask)
    if rows.numel() > 0:
        y[rows] = _chosen(rows_mask, (x[rows] @ weight).sigmoid(), y, rows)
    return y * 2


def make_callable():
    return refined


def make_inputs():
    torch.manual_seed(0)
    x, weight = torch.randn(3, 4), torch.randn(4, 4)
    return [((x, torch.tensor([True, False, True]), weight), {}), ((x, torch.zeros(3, dtype=torch.bool), weight), {})]
