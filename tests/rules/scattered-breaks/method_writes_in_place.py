import torch


class Ban:
    def __init__(self, size):
        self.size = size

    def forbidden(self, row):
        seen = [w.item() for w in row]
        return [w for w in seen if w % self.size == 0]

    def __call__(self, ids, scores):
        out = torch.relu(scores.clone()) * 2
        for i, row in enumerate(ids):
            bad = self.forbidden(row)
            if bad:
                out[i, bad] = float("-inf")
        return out


def make_callable():
    return Ban(2)


def make_inputs():
    g = torch.Generator().manual_seed(0)
    ids = torch.tensor([[1, 2, 3], [0, 4, 1]])
    scores = torch.randn(2, 6, generator=g)
    return [((ids, scores), {}), ((ids, scores.clone().requires_grad_()), {}), ((ids[:0], scores[:0]), {})]

# output
import torch


class Ban:
    def __init__(self, size):
        self.size = size

    def forbidden(self, row):
        seen = [w.item() for w in row]
        return [w for w in seen if w % self.size == 0]

    # Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def __call__(self, ids, scores):
        out = self._loop_start(scores)
        self._call_on_host(ids, out)
        return out

    @torch.compiler.disable
    def _call_on_host(self, ids, out):
        for i, row in enumerate(ids):
            bad = self.forbidden(row)
            if bad:
                out[i, bad] = float("-inf")

    def _loop_start(self, scores):
        return torch.relu(scores.clone()) * 2


def make_callable():
    return Ban(2)


def make_inputs():
    g = torch.Generator().manual_seed(0)
    ids = torch.tensor([[1, 2, 3], [0, 4, 1]])
    scores = torch.randn(2, 6, generator=g)
    return [((ids, scores), {}), ((ids, scores.clone().requires_grad_()), {}), ((ids[:0], scores[:0]), {})]