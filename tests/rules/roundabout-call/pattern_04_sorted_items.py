# runs: make_callable make_inputs
import torch


def total(x: torch.Tensor, **parts):
    found = {"x": x, **parts}
    out = x.tanh()
    for name, part in sorted(parts.items()):
        out = out * 2 + part * len(name)
    for _, part in sorted(found.items(), reverse=True):
        out = out * 2 + part
    return out


def make_callable():
    return total


def make_inputs():
    x = torch.arange(4.0)
    return [((x,), {"b": x + 1, "a": x + 2}), ((x,), {"c": x, "ab": x - 1})]


# output
import torch


def total(x: torch.Tensor, **parts):
    found = {"x": x, **parts}
    out = x.tanh()
    for name, part in sorted(parts.items(), key=lambda item: item[0]):
        out = out * 2 + part * len(name)
    for _, part in sorted(found.items(), key=lambda item: item[0], reverse=True):
        out = out * 2 + part
    return out


def make_callable():
    return total


def make_inputs():
    x = torch.arange(4.0)
    return [((x,), {"b": x + 1, "a": x + 2}), ((x,), {"c": x, "ab": x - 1})]
