import torch


def collect(x, history=None):
    if history is None:
        history = []
    history.append(x.sum())
    return torch.stack(history)


def make_callable():
    return collect


def make_inputs():
    x = torch.ones(3)
    return [((x,), {}), ((x,), {"history": [x[0]]}), ((x,), {"history": []}), ((x,), {})]


# wrong: mutable default
def collect(x, history=[]):
    history.append(x.sum())
    return torch.stack(history)


# wrong: the caller's list is not filled
def collect(x, history=None):
    history = [*(history or ()), x.sum()]
    return torch.stack(history)


# wrong: the caller's empty list is not filled
def collect(x, history=None):
    history = history or []
    history.append(x.sum())
    return torch.stack(history)


# wrong: shape of a first result
def collect(x, history=None):
    if history is None:
        return x.sum()
    history.append(x.sum())
    return torch.stack(history)


# right: conditional expression
def collect(x, history=None):
    history = [] if history is None else history
    history.append(x.sum())
    return torch.stack(history)


# right: two ways out
def collect(x, history=None):
    total = x.sum()
    if history is None:
        return torch.stack([total])
    history.append(total)
    return torch.stack(history)


# right: extended in place
def collect(x, history=None):
    if history is None:
        history = list()
    history += [torch.sum(x)]
    return torch.stack(history, dim=0)
