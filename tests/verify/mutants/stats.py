import torch


def stats(x, full=False):
    found = {"mean": x.mean(), "size": x.shape[0]}
    if full:
        found["top"] = x.max().item() if x.numel() else None
    return found


def make_callable():
    return stats


def make_inputs():
    x = torch.tensor([1.0, 3.0])
    return [((x,), {}), ((x,), {"full": True}), ((x[:0],), {"full": True})]


# wrong: order of the keys
def stats(x, full=False):
    found = {"size": x.shape[0], "mean": x.mean()}
    if full:
        found["top"] = x.max().item() if x.numel() else None
    return found


# wrong: number became a tensor
def stats(x, full=False):
    found = {"mean": x.mean(), "size": torch.tensor(x.shape[0])}
    if full:
        found["top"] = x.max().item() if x.numel() else None
    return found


# wrong: None became zero
def stats(x, full=False):
    found = {"mean": x.mean(), "size": x.shape[0]}
    if full:
        found["top"] = x.max().item() if x.numel() else 0.0
    return found


# wrong: untaken side evaluated
def stats(x, full=False):
    found = {"mean": x.mean(), "size": x.shape[0]}
    top = x.max().item()
    if full:
        found["top"] = top if x.numel() else None
    return found


# wrong: container
def stats(x, full=False):
    found = [("mean", x.mean()), ("size", x.shape[0])]
    if full:
        found.append(("top", x.max().item() if x.numel() else None))
    return found


# right: built step by step
def stats(x, full=False):
    found = {}
    found["mean"] = x.mean()
    found["size"] = x.shape[0]
    if full:
        top = None
        if x.numel():
            top = x.max().item()
        found["top"] = top
    return found


# right: two literals
def stats(x, full=False):
    if not full:
        return dict(mean=x.mean(), size=x.shape[0])
    return dict(mean=x.mean(), size=x.shape[0], top=x.max().item() if x.numel() > 0 else None)


# right: helper for the top
def _top(x):
    return x.max().item() if x.numel() else None


def stats(x, full=False):
    found = {"mean": torch.mean(x), "size": x.size(0)}
    if full:
        found.update(top=_top(x))
    return found
