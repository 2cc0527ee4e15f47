"""Everything that a caller can see: one wrong rewrite for each of it, and right ones that come close."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from refactor.verify.verdict import Verdict

ASKING = {"calls": "((torch.randn(3, 4, generator=g, requires_grad=True),), {})"}
MODULE = "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = nn.Linear(4, 4)\n"

# name: (body of the original, what is replaced, what by, keywords of the `program` fixture, part of the first reason)
WRONG: dict[str, tuple[str, str, str, dict[str, str], str]] = {
    "bits": ("def f(x):\n    return x + 1\n", "x + 1", "x + 1 + 1e-7", {}, "returned"),
    "dtype": ("def f(x):\n    return x.sum()\n", "x.sum()", "x.double().sum().float().double()", {}, "dtype"),
    "shape": ("def f(x):\n    return x.sum()\n", "x.sum()", "x.sum()[None]", {}, "shape"),
    "strides": ("def f(x):\n    return x.t() + 1\n", "x.t() + 1", "(x + 1).t().contiguous()", {}, "layout"),
    "device": ("def f(x):\n    return x.new_zeros(0)\n", "x.new_zeros(0)", "x.new_zeros(0).to('meta')", {}, "device"),
    "tensor class": ("def f(x):\n    return x + 1\n", "x + 1", "nn.Parameter(x + 1, x.requires_grad)", {}, "type"),
    "requires_grad": ("def f(x):\n    return x * 1\n", "x * 1", "(x * 1).detach()", ASKING, "requires_grad"),
    "inference tensor": (
        "def f(x):\n    with torch.no_grad():\n        return x + 1\n",
        "no_grad()",
        "inference_mode()",
        {},
        "inference",
    ),
    "storage shared with an input": ("def f(x):\n    return x[:1]\n", "x[:1]", "x[:1].clone()", {}, "memory"),
    "storage shared between outputs": (
        "def f(x):\n    y = x + 1\n    return y, y[:1]\n",
        "y[:1]",
        "y[:1].clone()",
        {},
        "returned[1].memory",
    ),
    "one output twice": (
        "def f(x):\n    y = x + 1\n    return [y, y]\n",
        "[y, y]",
        "[y, y.clone()]",
        {},
        "returned[1]",
    ),
    "one output kept from call to call": (
        MODULE + "    def forward(self, x):\n        self.last = x + 1\n        return self.last\n",
        "return self.last",
        "return self.last.clone()",
        {"build": "C()"},
        "returned",
    ),
    "contents of an input": ("def f(x):\n    x += 1\n    return x\n", "x += 1", "x = x + 1", {}, "args[0]"),
    "version counter": ("def f(x):\n    x.mul_(1)\n", "x.mul_(1)", "pass", {}, "written"),
    "parameter": (
        MODULE + "    def forward(self, x):\n        self.w.bias.data.clamp_(max=0)\n        return x\n",
        "max=0",
        "max=0.01",
        {"build": "C()"},
        "bias",
    ),
    "buffer": (
        MODULE
        + "        self.register_buffer('n', torch.zeros(1))\n"
        + "    def forward(self, x):\n        self.n += 1\n        return x\n",
        "self.n += 1",
        "self.n = self.n + 1",
        {"build": "C()"},
        "n.written",
    ),
    "plain attribute": (
        MODULE + "    def forward(self, x):\n        self.seen = len(x)\n        return x\n",
        "len(x)",
        "x.shape[-1]",
        {"build": "C()"},
        "self.seen",
    ),
    "attribute of a class": (
        MODULE + "    total = 0\n    def forward(self, x):\n        type(self).total += 1\n        return x\n",
        "type(self).total += 1",
        "pass",
        {"build": "C()"},
        "class C: total",
    ),
    "attribute of a helper": (
        (
            "def helper(x):\n    helper.calls = getattr(helper, 'calls', 0) + 1\n    return x + 1\n"
            "def f(x):\n    return helper(x)\n"
        ),
        "    helper.calls = getattr(helper, 'calls', 0) + 1\n",
        "",
        {},
        "function helper: calls",
    ),
    "order of the state": (
        MODULE + "        self.v = nn.Linear(1, 1)\n    def forward(self, x):\n        return x\n",
        "        self.w = nn.Linear(4, 4)\n        self.v = nn.Linear(1, 1)\n",
        "        self.v = nn.Linear(1, 1)\n        self.w = nn.Linear(4, 4)\n",
        {"build": "C()"},
        "self",
    ),
    "gradient of an input": ("def f(x):\n    return x * x\n", "x * x", "x * x.detach()", ASKING, "gradient of args[0]"),
    "gradient None or zeros": (
        "def f(x, y):\n    return x * 2\n",
        "x * 2",
        "x * 2 + 0 * y",
        {"calls": "((torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)), {})"},
        "gradient of args[1]",
    ),
    "gradient of a parameter": (
        MODULE + "    def forward(self, x):\n        return self.w(x)\n",
        "self.w(x)",
        "nn.functional.linear(x, self.w.weight, self.w.bias.detach())",
        {"build": "C()"},
        "gradient of self.w.bias",
    ),
    "gradient through what is stored": (
        MODULE
        + "    def forward(self, x):\n        self.loss = self.w.weight.sum() * self.w.bias.sum()\n"
        + "        return x\n",
        "self.w.bias.sum()",
        "self.w.bias.sum().detach()",
        {"build": "C()"},
        "gradient of self.w.bias",
    ),
    "gradient through what the caller's dict is given": (
        "def f(x, out):\n    out['y'] = x * x\n",
        "x * x",
        "x * x.detach()",
        {"calls": "((torch.ones(3, requires_grad=True), {}), {})"},
        "gradient of args[0]",
    ),
    "second derivative": (
        (
            "class S(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
            "        ctx.save_for_backward(x)\n        return x ** 3\n    @staticmethod\n    def backward(ctx, g):\n"
            "        (x,) = ctx.saved_tensors\n        return g * 3 * x ** 2\ndef f(x):\n    return S.apply(x)\n"
        ),
        "return g * 3 * x ** 2",
        "return g * 3 * x.detach() ** 2",
        ASKING,
        "gradient of the gradient",
    ),
    "random state of torch": ("def f(x):\n    torch.rand(1)\n    return x\n", "    torch.rand(1)\n", "", {}, "random"),
    "random state of numpy": (
        "import numpy\ndef f(x):\n    numpy.random.rand()\n    return x\n",
        "    numpy.random.rand()\n",
        "",
        {},
        "random state",
    ),
    "random state of random": (
        "import random\ndef f(x):\n    random.random()\n    return x\n",
        "    random.random()\n",
        "",
        {},
        "random state",
    ),
    "generator passed in": (
        "def f(x, rng):\n    return x + 0 * rng.random()\n",
        "0 * rng.random()",
        "0",
        {"calls": "((torch.ones(3), __import__('numpy').random.default_rng(0)), {})"},
        "args[1]",
    ),
    "type of an exception": (
        "def f(x):\n    raise KeyError('x')\n",
        "KeyError",
        "LookupError",
        {},
        "raised",
    ),
    "text of an exception": ("def f(x):\n    raise KeyError('x')\n", "'x'", "'y'", {}, "raised"),
    "cause of an exception": (
        "def f(x):\n    try:\n        [][1]\n    except IndexError as e:\n        raise ValueError('x') from e\n",
        "from e",
        "from None",
        {},
        "raised",
    ),
    "attribute of an exception": (
        "class Bad(Exception):\n    pass\ndef f(x):\n    error = Bad('x')\n    error.count = len(x)\n    raise error\n",
        "len(x)",
        "x.shape[-1]",
        {},
        "raised.count",
    ),
    "state left behind by an exception": (
        MODULE
        + "        self.n = 0\n    def forward(self, x):\n        self.n += 1\n        if x.sum() > 9:\n"
        + "            raise ValueError('large')\n        return x\n",
        "        self.n += 1\n        if x.sum() > 9:\n            raise ValueError('large')\n",
        "        if x.sum() > 9:\n            raise ValueError('large')\n        self.n += 1\n",
        {"build": "C()"},
        "self.n",
    ),
    "an input half written at an exception": (
        "def f(x):\n    x.add_(1)\n    if x.sum() > 99:\n        raise ValueError('large')\n    return x\n",
        "    x.add_(1)\n    if x.sum() > 99:\n        raise ValueError('large')\n    return x\n",
        "    if x.add(1).sum() > 99:\n        raise ValueError('large')\n    return x.add_(1)\n",
        {},
        "args[0]",
    ),
    "gradient mode left behind": (
        "def f(x):\n    torch.set_grad_enabled(False)\n    y = x + 1\n    torch.set_grad_enabled(True)\n    return y\n",
        "    torch.set_grad_enabled(True)\n",
        "",
        {},
        "modes of torch",
    ),
    "default dtype left behind": (
        "def f(x):\n    torch.set_default_dtype(torch.float64)\n    return x + 1\n",
        "    torch.set_default_dtype(torch.float64)\n",
        "",
        {},
        "modes of torch",
    ),
    "log record": (
        "import logging\ndef f(x):\n    logging.getLogger('a').error('%d', 3)\n    return x\n",
        "'%d', 3",
        "'%d', 4",
        {},
        "emitted",
    ),
    "exception of a log record": (
        (
            "import logging\ndef f(x):\n    try:\n        [][1]\n    except IndexError:\n"
            "        logging.getLogger('a').exception('no')\n    return x\n"
        ),
        ".exception(",
        ".error(",
        {},
        "emitted",
    ),
    "category of a warning": (
        "import warnings\ndef f(x):\n    warnings.warn('w')\n    return x\n",
        "'w'",
        "'w', RuntimeWarning",
        {},
        "emitted",
    ),
    "place of a warning": (
        "import warnings\ndef f(x):\n    warnings.warn('w', stacklevel=2)\n    return x\n",
        "stacklevel=2",
        "stacklevel=1",
        {},
        "emitted",
    ),
    "printed text": ("def f(x):\n    print('a', end='')\n    return x\n", ", end=''", "", {}, "emitted"),
    "where it is printed": (
        "import sys\ndef f(x):\n    print('a')\n    return x\n",
        "print('a')",
        "print('a', file=sys.stderr)",
        {},
        "emitted",
    ),
    "text written to what is passed in": (
        "def f(x, out):\n    print('a', file=out)\n    return x\n",
        "'a'",
        "'b'",
        {"calls": "((torch.ones(3), __import__('io').StringIO()), {})"},
        "args[1]",
    ),
    "list passed in": (
        "def f(x, seen):\n    seen.append(len(x))\n    return x\n",
        "seen.append(len(x))",
        "seen = [*seen, len(x)]",
        {"calls": "((torch.ones(3), []), {})"},
        "args[1]",
    ),
    "object passed in": (
        "class Box:\n    pass\ndef f(x, box):\n    box.value = x\n    return x\n",
        "box.value = x",
        "box.value = x.clone()",
        {"calls": "((torch.ones(3), Box()), {})"},
        "args[1].value",
    ),
    "iterator passed in": (
        "def f(x, items):\n    return x + next(items)\n",
        "next(items)",
        "list(items)[0]",
        {"calls": "((torch.ones(3), iter([1, 2, 3])), {})"},
        "args[1]",
    ),
    "bytes passed in": (
        "def f(x, seen):\n    seen.append(1)\n    return x\n",
        "    seen.append(1)\n",
        "",
        {"calls": "((torch.ones(3), bytearray()), {})"},
        "args[1]",
    ),
    "attribute of a tensor": (
        "def f(x):\n    x.seen = True\n    return x\n",
        "True",
        "False",
        {},
        "args[0].seen",
    ),
    "attribute of a list": (
        "class L(list):\n    pass\ndef f(x):\n    result = L([x])\n    result.size = len(x)\n    return result\n",
        "len(x)",
        "x.shape[-1]",
        {},
        "returned.size",
    ),
    "generator becomes a list": (
        "def f(x):\n    return (row + 1 for row in x)\n",
        "(row + 1 for row in x)",
        "[row + 1 for row in x]",
        {},
        "returned",
    ),
    "class of what is returned": (
        "import collections\ndef f(x):\n    return collections.OrderedDict(a=x)\n",
        "collections.OrderedDict(a=x)",
        "{'a': x}",
        {},
        "returned",
    ),
}

# name: (body, what is replaced, what by, keywords)
RIGHT: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "a warning of the same place": (
        "import warnings\ndef f(x):\n    warnings.warn('w', stacklevel=2)\n    return x\n",
        "    warnings.warn('w', stacklevel=2)\n",
        "    y = x\n    warnings.warn('w', stacklevel=2)\n",
        {},
    ),
    "modes restored": (
        "def f(x):\n    with torch.no_grad():\n        return x + 1\n",
        "    with torch.no_grad():\n        return x + 1\n",
        "    with torch.no_grad():\n        y = x + 1\n    return y\n",
        {},
    ),
    "a class constant written otherwise": (
        MODULE + "    size = 2 * 2\n    def forward(self, x):\n        return x * self.size\n",
        "x * self.size",
        "x * C.size",
        {"build": "C()"},
    ),
    "the loss stored in another way": (
        MODULE + "    def forward(self, x):\n        self.loss = self.w.bias.sum() * 2\n        return x\n",
        "self.loss = self.w.bias.sum() * 2",
        "total = self.w.bias.sum()\n        self.loss = total * 2",
        {"build": "C()"},
    ),
    "default dtype set in a call": (
        "def f(x):\n    torch.set_default_dtype(torch.float64)\n    return torch.ones(2)\n",
        "return torch.ones(2)",
        "y = torch.ones(2)\n    return y",
        {},
    ),
    "logger set up on import": (
        (
            "import logging\nlogger = logging.getLogger('a')\nlogger.setLevel(logging.ERROR)\n"
            "def f(x):\n    if not hasattr(logger, 'told'):\n        logger.error('once')\n"
            "    logger.told = True\n    return x\n"
        ),
        "    return x\n",
        "    y = x\n    return y\n",
        {},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_caller_can_see(name: str, judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    body, old, new, options, reason = WRONG[name]
    assert old in body
    verdict = judged(program(body, **options), program(body.replace(old, new), **options), examples=5)
    assert verdict.status == "REFUTED"
    assert reason in verdict.reasons[0]


@pytest.mark.parametrize("name", RIGHT)
def test_what_comes_close(name: str, judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    body, old, new, options = RIGHT[name]
    assert old in body
    verdict = judged(program(body, **options), program(body.replace(old, new), **options), examples=5)
    assert (verdict.status, [note for note in verdict.reasons if "two runs" in note]) == ("VERIFIED", [])
