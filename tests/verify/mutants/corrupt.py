import torch


def corrupt(x, p=0.3):
    keep = torch.rand(x.shape[0]) >= p
    noise = torch.randn_like(x) * 0.1
    return torch.where(keep[:, None], x, x + noise)


def make_callable():
    return corrupt


def make_inputs():
    x = torch.arange(12.0).reshape(4, 3)
    return [((x,), {}), ((x,), {"p": 0.9}), ((x,), {"p": 0.0})]


# wrong: order of the random numbers
def corrupt(x, p=0.3):
    noise = torch.randn_like(x) * 0.1
    keep = torch.rand(x.shape[0]) >= p
    return torch.where(keep[:, None], x, x + noise)


# wrong: random numbers drawn only where they are needed
def corrupt(x, p=0.3):
    keep = torch.rand(x.shape[0]) >= p
    if keep.all():
        return x.clone()
    noise = torch.randn_like(x) * 0.1
    return torch.where(keep[:, None], x, x + noise)


# wrong: shortcut returns the argument
def corrupt(x, p=0.3):
    keep = torch.rand(x.shape[0]) >= p
    noise = torch.randn_like(x) * 0.1
    if p == 0:
        return x
    return torch.where(keep[:, None], x, x + noise)


# wrong: one number for all rows
def corrupt(x, p=0.3):
    keep = torch.rand(1).expand(x.shape[0]) >= p
    noise = torch.randn_like(x) * 0.1
    return torch.where(keep[:, None], x, x + noise)


# right: independent statement moved
def corrupt(x, p=0.3):
    draws = torch.rand(x.shape[0])
    noise = torch.randn_like(x)
    keep = draws >= p
    return torch.where(keep[:, None], x, x + noise * 0.1)


# right: helpers
def _keep(count, p):
    return torch.rand(count) >= p


def corrupt(x, p=0.3):
    keep = _keep(x.shape[0], p)
    noise = torch.randn_like(x) * 0.1
    return torch.where(keep.unsqueeze(1), x, x + noise)


# right: arms exchanged with the condition negated
def corrupt(x, p=0.3):
    keep = torch.rand(x.shape[0]) >= p
    noise = torch.randn_like(x) * 0.1
    return torch.where(~keep[:, None], x + noise, x)
