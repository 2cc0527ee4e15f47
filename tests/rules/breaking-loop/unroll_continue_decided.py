# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch


def smooth(x):
    x = torch.tanh(x)
    for i in range(4):
        if i == 3:
            break
        x = x + i
        if i % 2 == 1:
            continue
        # Only the even levels are looked at.
        x = x * x.mean().tolist()
        x = x * 2
    else:
        x = x - 100
    return torch.relu(x)


def make_callable():
    return smooth


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]


# output
import torch


def smooth(x):
    x = torch.tanh(x)
    x = x + 0
    # Only the even levels are looked at.
    x = x * x.mean().tolist()
    x = x * 2
    x = x + 1
    x = x + 2
    x = x * x.mean().tolist()
    x = x * 2
    return torch.relu(x)


def make_callable():
    return smooth


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]
