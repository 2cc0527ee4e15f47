# select: TR303
# refuses: `keep` keeps a tensor
# refuses: `view` keeps a tensor
# refuses: `change` calls
# refuses: `gradient` reads
# refuses: `later` puts a tensor
# refuses: `mean` keeps a tensor
import torch

kept = []
table = {}


def keep(x):
    kept.append(x)
    print("kept")


def view(x):
    table["row"] = x.detach()[0]
    print(len(table))


def change(x):
    x.add_(1)
    print(x.sum().item())


def gradient(x):
    print(x.grad_fn, float(x.sum()))


def later(x):
    table["f"] = lambda: x
    print(float(x.sum()))


def mean(x):
    kept.append(x.mean())
    print("mean")


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    keep(y)
    view(y)
    change(y)
    gradient(y)
    later(y)
    mean(y)
    return y
