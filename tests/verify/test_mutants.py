"""Wrong rewrites are refuted, each for its own reason, and right ones are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from refactor.verify.verdict import Verdict

# name: (body of the original, what is replaced, what by, keywords of the `program` fixture, part of the first reason)
WRONG: dict[str, tuple[str, str, str, dict[str, str], str]] = {
    "swapped arms": (
        "def f(x):\n    if x.sum() > 0:\n        return x + 1\n    return x - 1\n",
        "x.sum() > 0",
        "x.sum() <= 0",
        {},
        "returned",
    ),
    "tie": (
        "def f(x):\n    if x.sum() > 0:\n        return x + 1\n    return x - 1\n",
        "x.sum() > 0",
        "x.sum() >= 0",
        {},
        "fill",
    ),
    "NaN goes the other way": (
        "def f(x):\n    if x.sum() > 0:\n        return x + 1\n    return x - 1\n",
        "if x.sum() > 0:\n        return x + 1\n    return x - 1",
        "if x.sum() <= 0:\n        return x - 1\n    return x + 1",
        {},
        "nan",
    ),
    "sign of zero": ("def f(x):\n    return x * 1.0\n", "x * 1.0", "x + 0.0", {}, "-0.0"),
    "gradient lost": (
        "def f(x):\n    return (x * 2).sum()\n",
        "x * 2",
        "x.detach() * 2",
        {"calls": "((torch.randn(3, generator=g, requires_grad=True),), {})"},
        "requires_grad",
    ),
    "no gradient becomes a zero gradient": (
        "def f(x, y):\n    return x * 2\n",
        "x * 2",
        "x * 2 + y * 0",
        {"calls": "((torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)), {})"},
        "gradient of args[1]",
    ),
    "view becomes a copy": ("def f(x):\n    return x[0]\n", "x[0]", "x[0].clone()", {}, "memory"),
    "identity": ("def f(x):\n    return x\n", "return x", "return x.view_as(x)", {}, "is args[0]"),
    "in-place effect lost": ("def f(x):\n    return x.add_(1)\n", "x.add_(1)", "x + 1", {}, "args[0]"),
    "written through data": ("def f(x):\n    x.add_(1)\n", "x.add_", "x.data.add_", {}, "written"),
    "dtype": ("def f(x):\n    return x * 2\n", "x * 2", "x.float() * 2", {}, "cast"),
    "layout": (
        "def f(x):\n    return x * 2\n",
        "x * 2",
        "(x * 2).contiguous()",
        {},
        "layout",
    ),
    "empty batch": ("def f(x):\n    return x.max()\n", "x.max()", "x.max() if len(x) else x.sum()", {}, "raised"),
    "batch of one": ("def f(x):\n    return x.mean(0)\n", "x.mean(0)", "x.squeeze(0).mean(0)", {}, "resize [3, 1"),
    "order of the random numbers": (
        "def f(x):\n    a = torch.rand(3)\n    return torch.rand(3) - a\n",
        "torch.rand(3) - a",
        "-torch.rand(3) + a",
        {},
        "returned",
    ),
    "random number not drawn": (
        "import random\ndef f(x):\n    random.random()\n    return x + 1\n",
        "    random.random()\n",
        "",
        {},
        "random state",
    ),
    "second derivative": (
        "def f(x):\n    return (x * x).sum()\n",
        "(x * x).sum()",
        "(x * (2 * x).detach()).sum() - (x * x).detach().sum()",
        {"calls": "((torch.randn(3, generator=g, requires_grad=True),), {})"},
        "gradient of the gradient",
    ),
    "parameter kept from before it was changed": (
        (
            "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.w = nn.Parameter(torch.ones(4))\n"
            "    def forward(self, x):\n        return x * self.w.detach()\n"
        ),
        "x):\n        return x * self.w.detach()\n",
        (
            "x, *, known=[]):\n        if not known:\n            known.append(self.w.detach().clone())\n"
            "        return x * known[0]\n"
        ),
        {"build": "C()"},
        "step between calls",
    ),
    "exception type": (
        "def f(x):\n    if x.isnan().any():\n        raise ValueError('not a number')\n    return x\n",
        "ValueError",
        "RuntimeError",
        {},
        "raised",
    ),
    "exception text": (
        "def f(x):\n    if x.isnan().any():\n        raise ValueError('not a number')\n    return x\n",
        "not a number",
        "no number",
        {},
        "raised",
    ),
    "order of the output": ("def f(x):\n    print('a')\n    print('b')\n", "print('a')", "print('c')", {}, "emitted"),
    "debug record lost": (
        "import logging\nlog = logging.getLogger(__name__)\ndef f(x):\n    log.debug('here')\n    return x + 1\n",
        "log.debug('here')",
        "pass",
        {},
        "all log levels",
    ),
    "warning category": (
        "import warnings\ndef f(x):\n    warnings.warn('old', FutureWarning)\n    return x + 1\n",
        "FutureWarning",
        "UserWarning",
        {},
        "emitted",
    ),
    "second call only": (
        (
            "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 0\n"
            "    def forward(self, x):\n        self.n += 1\n        return x * self.n\n"
        ),
        "self.n += 1",
        "self.n = 1",
        {"build": "C()", "calls": "((torch.ones(2),), {}), ((torch.ones(2),), {})"},
        "call 1",
    ),
    "evaluation only": (
        "class C(nn.Module):\n    def forward(self, x):\n        return x * 2 if self.training else x * 3\n",
        "x * 3",
        "x * 4",
        {"build": "C()"},
        "eval",
    ),
    "saved name": (
        (
            "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('a', torch.ones(2))\n    def forward(self, x):\n        return x\n"
        ),
        "torch.ones(2))",
        "torch.ones(2), persistent=False)",
        {"build": "C()"},
        "not saved",
    ),
    "hidden state in a global": (
        "SEEN = []\ndef f(x):\n    SEEN.append(1)\n    return x\n",
        "append(1)",
        "append(2)",
        {},
        "SEEN",
    ),
    "mutable default": (
        "def f(x, seen=[]):\n    seen.append(len(seen))\n    return x\n",
        "append(len(seen))",
        "append(0)",
        {},
        "",
    ),
    "stale cache": (
        "def f(x):\n    return x * 2, x.sum().item()\n",
        "def f(x):\n    return x * 2, x.sum().item()",
        (
            "import functools\n@functools.lru_cache\ndef total(x):\n    return x.sum().item()\n"
            "def f(x):\n    return x * 2, total(x)"
        ),
        {"calls": "*(((torch.full((2,), float(i)),), {}) for i in range(3))"},
        "reused",
    ),
    "number of layers": (
        (
            "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))\n"
            "    def forward(self, x):\n        for layer in self.layers:\n            x = layer(x)\n        return x\n"
        ),
        "for layer in self.layers:\n            x = layer(x)\n        return x",
        "return self.layers[1](self.layers[0](x))",
        {"build": "C()"},
        "longer",
    ),
    "parameter renamed": (
        "def f(x):\n    return x + 1\n",
        "def f(x):\n    return x",
        "def f(y):\n    return y",
        {},
        "named",
    ),
    "falsy zero": (
        "def f(x, n=None):\n    return x + (1 if n is None else n)\n",
        "1 if n is None else n",
        "n or 1",
        {"calls": "((torch.ones(2),), {'n': 3})"},
        "kwargs['n']",
    ),
    "alias of two arguments": (
        "def f(x, y):\n    x.add_(1)\n    return x + y\n",
        "    x.add_(1)\n    return x + y",
        "    z = y.clone()\n    x.add_(1)\n    return x + z",
        {"calls": "((torch.ones(2), torch.zeros(2)), {})"},
        "share",
    ),
    "compiled arm": (
        "def f(x):\n    return x + 1\n",
        "return x + 1",
        "return x + 2 if torch.compiler.is_compiling() else x + 1",
        {},
        "compiled with backend eager",
    ),
    "cannot be imported": (
        "def f(x):\n    return x\n",
        "def f",
        "import nowhere_to_be_found\ndef f",
        {},
        "cannot be imported",
    ),
    "does not return": (
        "def f(x):\n    while x.sum() > 100:\n        x = x - x\n    return x\n",
        "x = x - x",
        "x = x + 0",
        {"calls": "((torch.full((2,), 90.0),), {})"},
        "did not return",
    ),
}

RIGHT: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "renamed local": (
        "def f(x):\n    y = x + 1\n    return y\n",
        "    y = x + 1\n    return y",
        "    z = x + 1\n    return z",
        {},
    ),
    "commuted sum": (
        "def f(x, y):\n    return x + y\n",
        "x + y",
        "y + x",
        {"calls": "((torch.ones(2), torch.ones(1)), {})"},
    ),
    "fresh instead of in place": (
        "def f(x):\n    y = x - 1\n    y.mul_(0.5)\n    return y\n",
        "y.mul_(0.5)",
        "y = y * 0.5",
        {},
    ),
    "single exit": (
        "def f(x):\n    if x.sum() > 0:\n        return x + 1\n    return x - 1\n",
        "if x.sum() > 0:\n        return x + 1\n    return x - 1",
        "y = x + 1 if x.sum() > 0 else x - 1\n    return y",
        {},
    ),
    "dual form": (
        "def f(x):\n    if x.sum() > 0:\n        return x + 1\n    return x - 1\n",
        "    if x.sum() > 0:",
        (
            "    if torch.compiler.is_compiling():\n"
            "        return torch.where(x.sum() > 0, x + 1, x - 1)\n    if x.sum() > 0:"
        ),
        {},
    ),
    "helper with state of its own": (
        "def f(x):\n    return x * 2\n",
        "def f(x):\n    return x * 2",
        "_CALLS = 3\ndef _double(x):\n    return x * 2\ndef f(x):\n    return _double(x)",
        {},
    ),
    "library fails otherwise on what it never took": (
        "def f(x):\n    return x[:, 1]\n",
        "x[:, 1]",
        "x.unbind(1)[1]",
        {},
    ),
    "memory that nobody wrote": (
        "def f(x):\n    return torch.empty(50)\n",
        "torch.empty(50)",
        "torch.empty(100)[:50].clone()",
        {},
    ),
    "closure with another helper": (
        "def outer():\n    k = 2\n    def f(x):\n        return x * k\n    return f\n",
        "    def f(x):\n        return x * k",
        "    def g(x):\n        return x * k\n    def f(x):\n        return g(x) if k else x",
        {"build": "outer()"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rewrite_is_refuted(name: str, judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    body, old, new, options, reason = WRONG[name]
    assert old in body
    verdict = judged(program(body, **options), program(body.replace(old, new), **options))
    assert (verdict.status, reason in verdict.reasons[0]) == ("REFUTED", True), verdict.reasons


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rewrite_is_not_refuted(name: str, judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    body, old, new, options = RIGHT[name]
    assert old in body
    verdict = judged(program(body, **options), program(body.replace(old, new), **options))
    assert verdict.status != "REFUTED", (verdict.reasons, verdict.counterexample)
