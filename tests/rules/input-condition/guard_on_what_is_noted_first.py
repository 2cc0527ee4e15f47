# runs: make_callable make_inputs
import torch


class Momentum:
    def __init__(self, lr=0.1, beta=0.9):
        self.lr, self.beta = lr, beta
        self.state = {}

    @torch.no_grad()
    def step(self, p: torch.Tensor, grad: torch.Tensor):
        state = self.state.setdefault(tuple(p.shape), {})
        if "buf" not in state:
            state["buf"] = torch.zeros_like(p)
            if p.any():
                state["origin"] = p.clone()
            else:
                state["origin"] = torch.zeros(())
        state["buf"].mul_(self.beta).add_(grad)
        p.sub_(self.lr * state["buf"])
        return (p - state["origin"]).norm()


def make_callable():
    return Momentum().step


def make_inputs():
    g = torch.Generator().manual_seed(3)
    calls = [((torch.randn(3, generator=g), torch.randn(3, generator=g)), {}) for _ in range(3)]
    return calls + [((torch.zeros(2), torch.randn(2, generator=g)), {}) for _ in range(2)]


# output
import torch


class Momentum:
    def __init__(self, lr=0.1, beta=0.9):
        self.lr, self.beta = lr, beta
        self.state = {}

    @torch._dynamo.decorators.skip
    def step(self, p: torch.Tensor, grad: torch.Tensor):
        state = self.state.setdefault(tuple(p.shape), {})
        return self._step(p, grad, state=state, p_any=bool("buf" not in state and p.any()))

    @torch.no_grad()
    def _step(self, p: torch.Tensor, grad: torch.Tensor, *, state, p_any):
        if "buf" not in state:
            state["buf"] = torch.zeros_like(p)
            if p_any:
                state["origin"] = p.clone()
            else:
                state["origin"] = torch.zeros(())
        state["buf"].mul_(self.beta).add_(grad)
        p.sub_(self.lr * state["buf"])
        return (p - state["origin"]).norm()


def make_callable():
    return Momentum().step


def make_inputs():
    g = torch.Generator().manual_seed(3)
    calls = [((torch.randn(3, generator=g), torch.randn(3, generator=g)), {}) for _ in range(3)]
    return calls + [((torch.zeros(2), torch.randn(2, generator=g)), {}) for _ in range(2)]
