import torch


def root(x, low=0.0):
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    if (x < low).any():
        raise ValueError(f"{int((x < low).sum())} values below {low}")
    return x.sqrt()


RAISES = {1: "ValueError", 2: "ValueError"}


def make_callable():
    return root


def make_inputs():
    x = torch.tensor([1.0, 4.0])
    return [((x,), {}), ((-x,), {}), ((x[0],), {}), ((x,), {"low": 0.5})]


# wrong: type of the exception
def root(x, low=0.0):
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    if (x < low).any():
        raise RuntimeError(f"{int((x < low).sum())} values below {low}")
    return x.sqrt()


# wrong: message
def root(x, low=0.0):
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    if (x < low).any():
        raise ValueError(f"values below {low}")
    return x.sqrt()


# wrong: order of the checks
def root(x, low=0.0):
    if (x < low).any():
        raise ValueError(f"{int((x < low).sum())} values below {low}")
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    return x.sqrt()


# wrong: NaN is refused too
def root(x, low=0.0):
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    if not (x >= low).all():
        raise ValueError(f"{int((x < low).sum())} values below {low}")
    return x.sqrt()


# wrong: exception lost
def root(x, low=0.0):
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    return x.sqrt()


# wrong: assert for raise
def root(x, low=0.0):
    assert x.dim() > 0, "needs a dimension"
    if (x < low).any():
        raise ValueError(f"{int((x < low).sum())} values below {low}")
    return x.sqrt()


# right: computed once
def root(x, low=0.0):
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    below = x < low
    if torch.any(below):
        raise ValueError(f"{int(below.sum())} values below {low}")
    return torch.sqrt(x)


# right: elif
def root(x, low=0.0):
    if not x.dim():
        raise ValueError("needs a dimension")
    elif (x < low).any():
        count = (x < low).sum().item()
        raise ValueError(f"{count} values below {low}")
    else:
        return x.sqrt()


# right: check in a helper
def _check(x, low):
    if x.dim() == 0:
        raise ValueError("needs a dimension")
    if (x < low).any():
        raise ValueError(f"{int((x < low).sum())} values below {low}")


def root(x, low=0.0):
    _check(x, low)
    return x.sqrt()
