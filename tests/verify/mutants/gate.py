import torch


def gate(x, limit=0.5):
    if x.mean() > limit:
        return x * 2
    return x - 1


def make_callable():
    return gate


def make_inputs():
    x = torch.tensor([[0.1, 0.2], [0.3, 0.4]])
    return [((x,), {}), ((x * 9,), {}), ((x,), {"limit": 0.1})]


# wrong: swapped arms
def gate(x, limit=0.5):
    if x.mean() > limit:
        return x - 1
    return x * 2


# wrong: tie goes the other way
def gate(x, limit=0.5):
    if x.mean() >= limit:
        return x * 2
    return x - 1


# wrong: NaN goes the other way
def gate(x, limit=0.5):
    if x.mean() <= limit:
        return x - 1
    return x * 2


# wrong: dropped else
def gate(x, limit=0.5):
    if x.mean() > limit:
        return x * 2
    return x


# wrong: dtype of half precision
def gate(x, limit=0.5):
    if x.mean() > limit:
        return x.float() * 2
    return x - 1


# wrong: the default is written in
def gate(x, limit=0.5):
    if x.mean() > 0.5:
        return x * 2
    return x - 1


# right: conditional expression
def gate(x, limit=0.5):
    return x * 2 if x.mean() > limit else x - 1


# right: negated, so that NaN goes the same way
def gate(x, limit=0.5):
    if not x.mean() > limit:
        return x - 1
    return x * 2


# right: one return and another name
def gate(x, limit=0.5):
    value = x.mean()
    if value > limit:
        out = x * 2
    else:
        out = x - 1
    return out


# right: sides of the comparison exchanged
def gate(x, limit=0.5):
    if limit < x.mean():
        return x * 2
    return x - 1
