import torch


def centre(x, inplace=False):
    out = x if inplace else x.clone()
    out -= out.mean(-1, keepdim=True)
    return out


def make_callable():
    return centre


def make_inputs():
    return [((torch.arange(6.0).reshape(2, 3) ** 2,), {}), ((torch.arange(6.0).reshape(2, 3) ** 2,), {"inplace": True})]


# wrong: alias instead of a copy
def centre(x, inplace=False):
    out = x
    out -= out.mean(-1, keepdim=True)
    return out


# wrong: copy instead of an alias
def centre(x, inplace=False):
    out = x.clone()
    out -= out.mean(-1, keepdim=True)
    return out


# wrong: identity lost
def centre(x, inplace=False):
    out = x if inplace else x.clone()
    out = out - out.mean(-1, keepdim=True)
    return out


# wrong: layout of a transposed argument
def centre(x, inplace=False):
    out = x if inplace else x.clone(memory_format=torch.contiguous_format)
    out -= out.mean(-1, keepdim=True)
    return out


# wrong: written through data
def centre(x, inplace=False):
    out = x if inplace else x.clone()
    out.data -= out.mean(-1, keepdim=True)
    return out


# right: statement for expression
def centre(x, inplace=False):
    if inplace:
        out = x
    else:
        out = x.clone()
    return out.sub_(out.mean(-1, keepdim=True))


# right: mean first
def centre(x, inplace=False):
    if not inplace:
        x = x.clone()
    mean = x.mean(-1, keepdim=True)
    x -= mean
    return x
