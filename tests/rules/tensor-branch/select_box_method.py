# runs: make_callable make_inputs
import torch


class Box:
    def __init__(self, low):
        self.low = torch.tensor(low)

    def holds(self, value):
        return (value >= self.low).all()

    def clip(self, value):
        if not self.holds(value):
            value = torch.maximum(value, self.low)
        return value


class Actor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 2)
        self.box = Box([-0.1, 0.2])

    def forward(self, x):
        return self.box.clip(self.net(x)) * 2


def make_callable():
    torch.manual_seed(0)
    return Actor()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(4, 3, generator=g)
    return [((x,), {}), ((x * 0,), {}), ((x * float("nan"),), {}), ((x[:0],), {})]

# output
import functools

import torch


def _where_alike(pred, true_fn, false_fn, operands=(), smooth=False):
    """`torch.where` while compiling, where both arms give tensors that are alike; a plain branch otherwise.

    `smooth`: the derivatives of both arms are finite everywhere. Where they are not, gradients need `torch.cond`.
    """
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor):
        true, false = true_fn(*operands), false_fn(*operands)
        pairs = list(zip(true, false)) if isinstance(true, tuple) else [(true, false)]
        if all(
            isinstance(a, torch.Tensor)
            and isinstance(b, torch.Tensor)
            and (a.shape, a.dtype, a.device, a.requires_grad) == (b.shape, b.dtype, b.device, b.requires_grad)
            for a, b in pairs
        ):
            pred = pred.reshape(()) != 0
            if smooth or not any(a.requires_grad or b.requires_grad for a, b in pairs):
                chosen = [torch.where(pred, a, b) for a, b in pairs]
                return tuple(chosen) if isinstance(true, tuple) else chosen[0]
            fresh = functools.partial(torch.clone, memory_format=torch.contiguous_format)
            return torch.cond(
                pred,
                lambda *xs: torch.utils._pytree.tree_map(fresh, true_fn(*xs)),
                lambda *xs: torch.utils._pytree.tree_map(fresh, false_fn(*xs)),
                operands,
            )
    return true_fn(*operands) if pred else false_fn(*operands)


class Box:
    def __init__(self, low):
        self.low = torch.tensor(low)

    def holds(self, value):
        return (value >= self.low).all()

    def clip(self, value):
        value = _where_alike(
            self.holds(value),
            lambda value: value,
            lambda value: torch.maximum(value, self.low),
            (value,),
            smooth=True,
        )
        return value


class Actor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 2)
        self.box = Box([-0.1, 0.2])

    def forward(self, x):
        return self.box.clip(self.net(x)) * 2


def make_callable():
    torch.manual_seed(0)
    return Actor()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(4, 3, generator=g)
    return [((x,), {}), ((x * 0,), {}), ((x * float("nan"),), {}), ((x[:0],), {})]