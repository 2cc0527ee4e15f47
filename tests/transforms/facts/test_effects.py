"""What code changes, reads, raises and draws."""

from __future__ import annotations

import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.effects import Effect
from refactor.transforms.source import Source

HEADER = """\
import functools
import itertools
import logging
import math
import random
import time
import warnings
import torch
from torch import nn
import torch.nn.functional as F

CACHE = {}
logger = logging.getLogger(__name__)


def wrapped(f):
    return f


@wrapped
def decorated(v):
    return v


def plain(v):
    return v * 2


def viewed(v):
    return v.view(-1)


def writes(v, w):
    w.add_(1)


def remembers(v):
    CACHE["last"] = v


def local(v):
    v = v.clone()
    v.add_(1)
    return v


def recursive(v):
    return recursive(v)


"""


def effect_of(body: str, parameters: str = "x, y, n") -> Effect:
    text = HEADER + f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    facts = Facts(Source(text))
    (function,) = [f for f in facts.names.functions() if f.name == "f"]
    return facts.effects.of(function.body)


@pytest.mark.parametrize(
    "body",
    [
        "y = x * 2 + x.mean()",
        "y = torch.where(x > 0, x, -x)",
        "y = F.relu(x)",
        "y = F.relu(x, False)",
        "y = F.batch_norm(x, None, None)",
        "y = x.view(-1).softmax(-1)",
        "y = [v * 2 for v in x]",
        "y = len(x), x.shape, x.dtype, n.get('a', 1)",
        "y = sorted(n, key=len)",
        "y = list(map(torch.relu, n))",
        "y = list(map(plain, n))",
        "y = list(map(lambda v: v * 2, n))",
        "y = max(n, key=lambda v: v.sum())",
        "y = functools.reduce(torch.add, n)",
        "y = math.sqrt(2) + math.prod(x.shape)",
        "y = plain(x)",
        "y = f'{x} {n!r:>10}'",
        "y = None if n is None else n + 1",
        "y = (m := x.sum())",
    ],
)
def test_pure(body: str) -> None:
    found = effect_of(body)
    assert found.pure, found.why_impure


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("x.add_(1)", {"x"}),
        ("x += 1", {"x"}),
        ("x[0] = 1", {"x"}),
        ("x[0] += 1", {"x"}),
        ("x.relu()[0] = 1", set()),
        ("y = x.view(-1)\ny.add_(1)", {"x"}),
        ("y = x[0]\ny += 1", {"x"}),
        ("a, b = x.softmax(-1), x.chunk(2)\nb[0].add_(1)", {"x"}),
        ("for row in x:\n    row.zero_()", {"x"}),
        ("for i, row in enumerate(x):\n    row.zero_()", {"x"}),
        ("for a, row in zip(n, x):\n    row.zero_()", {"x"}),
        ("y = x.contiguous()\ny.zero_()", {"x"}),
        ("y = x.reshape(-1)\ny.zero_()", {"x"}),
        ("y = x.detach()\ny.zero_()", {"x"}),
        ("y = torch.as_tensor(x)\ny.zero_()", {"x"}),
        ("y = nn.Parameter(x.view(-1))\ny.zero_()", {"x"}),
        ("y = +x.view(-1)\ny.zero_()", {"x"}),
        ("y = F.relu(x.view(-1), True)\ny.zero_()", {"x"}),
        ("y = torch.add(x, 1, out=n)\ny.zero_()", {"n"}),
        ("y = x if n else x.clone()\ny.zero_()", {"x"}),
        ("y = [x]\ny[0].zero_()", {"x"}),
        ("y = {'a': x}\ny['a'].zero_()", {"x"}),
        ("y = (x, n)\na, b = y\na.zero_()", {"x"}),
        ("y = max(x, n)\ny.zero_()", {"?", "n", "x"}),
        ("y = viewed(x)\ny.zero_()", {"x"}),
        ("y = x + 0\ny.zero_()", set()),
        ("y = x.clone()\ny.zero_()", set()),
        ("torch.add(x, 1, out=n)", {"n"}),
        ("F.relu(x, True)", {"x"}),
        ("F.relu(x, inplace=n)", {"x"}),
        ("F.relu(*n)", {"n"}),
        ("F.dropout(x, 0.1, True, True)", {"x"}),
        ("F.batch_norm(x, n, y, training=True)", {"n", "y"}),
        ("F.instance_norm(x, n, y)", {"n", "y"}),
        ("F.embedding(x, n, max_norm=1.0)", {"n"}),
        ("nn.init.zeros_(x)", {"x"}),
        ("n.append(1)", {"n"}),
        ("n.setdefault(1, [])", {"n"}),
        ("n = list(n)\nn.popleft()", {"n"}),
        ("n = n.keys()\nn.difference_update(y)", {"n"}),
        ("del n[0]", {"n"}),
        ("n.x.append(1)", {"?", "n"}),
        ("n.T.zero_()", {"?", "n"}),
        ("getattr(n, 'T').zero_()", {"?", "n"}),
        ("writes(x, n)", {"n"}),
        ("writes(w=x, v=n)", {"x"}),
        ("writes(*n)", {"?", "n"}),
        ("local(x)", set()),
        ("remembers(x)", {"?"}),
        ("CACHE[0] = x", {"?"}),
        ("unheard_of(x)", {"x"}),
        ("n.unheard_of(x)", {"n", "x"}),
    ],
)
def test_storage_changed(body: str, changed: set[str]) -> None:
    assert effect_of(body).storage == changed


def test_what_the_code_made_itself_is_named_but_no_storage() -> None:
    found = effect_of("y = x.clone()\ny.add_(1)")
    assert (found.mutates, found.storage, found.written) == ({"y"}, set(), set())
    found = effect_of("x = x.clone()\nx.add_(1)")
    assert (found.mutates, found.storage) == ({"x"}, set())


def test_what_may_be_changed_is_told_from_what_is() -> None:
    assert effect_of("unheard_of(x)").written == set()
    assert effect_of("x.softmax(-1)\nx.add_(1)").written == {"x"}
    assert effect_of("writes(x, y)", "x: torch.Tensor, y: torch.Tensor, n").written == {"y"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("decorated(x)", "`decorated` may do anything"),
        ("recursive(x)", "`recursive` may do anything"),
        ("list(map(print, n))", "`print` may do anything"),
        ("list(map(lambda v: print(v), n))", "`print` writes to the outside"),
        ("sorted(n, key=lambda v: print(v))", "`print` writes to the outside"),
        ("functools.reduce(lambda a, b: print(a), n)", "`print` writes to the outside"),
        ("list(itertools.accumulate(n, unheard_of))", "`unheard_of` may do anything"),
        ("list(filter(n, x))", "`n` may do anything"),
        ("list(map(remembers, n))", "`.remembers` may do anything"),
        ("n.get()", "`n.get` may do anything"),
        ("next(n)", "`next` may do anything"),
        ("time.time()", "`time.time` may do anything"),
        ("random.random()", "`random.random` may do anything"),
        ("x.sum().backward()", "`torch.Tensor.backward` may do anything"),
        ("torch.manual_seed(0)", "`torch.manual_seed` may do anything"),
        ("torch.set_grad_enabled(False)", "`torch.set_grad_enabled` may do anything"),
        ("print(x)", "`print` writes to the outside"),
        ("logger.info('%s', x)", "`logger.info` writes to the outside"),
        ("logger.warning_once('x')", "`logger.warning_once` writes to the outside"),
        ("warnings.warn('x')", "`warnings.warn` writes to the outside"),
        ("logging.warning('x')", "`logging.warning` writes to the outside"),
        ("n.warn('x')", "`n.warn` writes to the outside"),
        ("n.a = 1", "it assigns `n.a`"),
        ("n.a += 1", "it assigns `n.a`"),
        ("x.grad = None", "it assigns `x.grad`"),
        ("for n.i in x: pass", "it assigns `n.i`"),
        ("del n.a", "it assigns `n.a`"),
        ("global CACHE\nCACHE = {}", "it assigns `CACHE`"),
        ("torch.rand(3)", "it draws random numbers"),
        ("F.dropout(x)", "it draws random numbers"),
        ("nn.Linear(2, 2)", "it draws random numbers"),
        ("raise ValueError", "it raises"),
        ("assert n", "it raises"),
        ("with n: pass", "it holds a `with` statement"),
        ("try: pass\nfinally: pass", "it holds a `try` statement"),
        ("import os", "it holds a `import` statement"),
        ("x.softmax(-1)[x > 0]", "indexing by a mask on line 52 has a shape that depends on values"),
        ("x.softmax(-1).nonzero()", "`torch.Tensor.nonzero` on line 52 has a shape that depends on values"),
    ],
)
def test_impure(body: str, reason: str) -> None:
    assert effect_of(body).why_impure == reason


@pytest.mark.parametrize(
    "body",
    [
        "if x.any(): pass",
        "while x.sum() > 0: pass",
        "n and x.any() and n",
        "not x.any()",
        "1 if x.any() else 2",
        "[v for v in n if x.any()]",
        "x.softmax(-1).item()",
        "x.softmax(-1).tolist()",
        "float(x.sum())",
        "any(x.relu())",
        "math.sqrt(x.sum())",
        "str(x.sum())",
    ],
)
def test_host_reads(body: str) -> None:
    assert effect_of(body, "x: torch.Tensor, y, n").reads == [52]


@pytest.mark.parametrize("body", ["x.shape", "x.numel() > 2", "x is None", "len(x)", "x.size(0)", "isinstance(x, int)"])
def test_metadata_is_no_host_read(body: str) -> None:
    assert effect_of(body, "x: torch.Tensor, y, n").reads == []


@pytest.mark.parametrize(
    ("body", "jumps"),
    [
        ("return 1", {"return"}),
        ("yield 1", {"yield"}),
        ("for i in x:\n    break", {"break"}),
        ("def g():\n    return 1", set()),
        ("g = lambda: (yield)", set()),
    ],
)
def test_jumps(body: str, jumps: set[str]) -> None:
    assert effect_of(body).jumps == jumps


MODULE = """\
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.count = 0

    def forward(self, x):
        self.count += 1
        return x

    def touch(self, x):
        self.seen.append(1)
        return x


class Model(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.inner = Inner()
        self.act = act
        self.relu = nn.ReLU()
        self.over = nn.ReLU(True)
        self.over_too = nn.ReLU(inplace=True)
        self.maybe = nn.ReLU(inplace=act)
        self.drop = nn.Dropout(0.1, True)
        self.norm = nn.BatchNorm1d(3)
        self.linear = nn.Linear(3, 3)
        self.mlp = nn.Sequential(nn.Linear(3, 3), nn.ReLU(True))

    def helper(self, x):
        return x

    def f(self, x):
        return {call}


class Sub(Model):
    def helper(self, x):
        print(x)
"""


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("self.relu(x)", ""),
        ("self.linear(x)", ""),
        ("self.over(x)", "it changes `x` in place"),
        ("self.over_too(x)", "it changes `x` in place"),
        ("self.maybe(x)", "it changes `x` in place"),
        ("self.drop(x)", "it changes `x` in place"),
        ("self.mlp(x)", "it changes `x` in place"),
        ("self.norm(x)", "`self.norm` updates its own state in training"),
        ("self.act(x)", "`self.act` may do anything"),
        ("self.inner(x)", "it assigns `self.count`"),
        ("self.inner.touch(x)", "it changes `self.seen` in place"),
        ("self.helper(x)", "`self.helper` may do anything"),
    ],
)
def test_modules(call: str, reason: str) -> None:
    facts = Facts(Source(HEADER + MODULE.format(call=call)))
    (function,) = [f for f in facts.names.functions() if f.name == "f"]
    assert facts.effects.of(function.body).why_impure == reason


def test_calls_are_judged_with_the_names_of_the_caller() -> None:
    facts = Facts(Source(HEADER + "def f(a, b):\n    return writes(a, b.view(-1))\n"))
    (function,) = [f for f in facts.names.functions() if f.name == "f"]
    assert facts.effects.of_function(function).storage == {"b"}
