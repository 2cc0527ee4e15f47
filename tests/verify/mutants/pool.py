import torch


def pool(x, mask):
    if mask.sum() == 0:
        return x.new_zeros(x.shape[-1])
    return x[mask].mean(0)


def make_callable():
    return pool


def make_inputs():
    g = torch.Generator().manual_seed(7)
    x = torch.randn(4, 3, generator=g)
    mask = torch.tensor([True, False, True, False])
    return [((x, mask), {}), ((x, mask & ~mask), {}), ((x, ~mask), {})]


# wrong: arms in other dtypes
def pool(x, mask):
    if mask.sum() == 0:
        return torch.zeros(x.shape[-1])
    return x[mask].mean(0)


# wrong: mask inverted
def pool(x, mask):
    if mask.sum() == 0:
        return x.new_zeros(x.shape[-1])
    return x[~mask].mean(0)


# wrong: what is masked out leaks
def pool(x, mask):
    if mask.sum() == 0:
        return x.new_zeros(x.shape[-1])
    return (x * mask[:, None]).sum(0) / mask.sum()


# wrong: empty selection not guarded
def pool(x, mask):
    return x[mask].mean(0)


# wrong: a full mask returns another view
def pool(x, mask):
    if mask.sum() == 0:
        return x.new_zeros(x.shape[-1])
    if mask.all() and len(x) == 1:
        return x[0]
    return x[mask].mean(0)


# right: nonzero rows
def pool(x, mask):
    count = mask.sum()
    if count == 0:
        return x.new_zeros(x.shape[-1])
    return torch.mean(x[mask], 0)


# right: picked first
def pool(x, mask):
    if not mask.sum() == 0:
        picked = x[mask]
        return picked.mean(0)
    return x.new_zeros((x.shape[-1],))


# right: conditional expression
def pool(x, mask):
    empty = (mask.sum() == 0).item()
    return x.new_zeros(x.shape[-1]) if empty else x[mask].mean(dim=0)
