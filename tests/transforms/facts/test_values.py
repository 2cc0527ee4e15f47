"""When two values certainly share dtype and shape, and what must not be claimed."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.values import (
    BOOL,
    DEFAULT,
    INT64,
    SCALAR,
    UNKNOWN,
    Tag,
    Value,
    agree,
    as_float,
    broadcast,
    category,
    earlier,
    has_dimensions,
    join,
    promote,
    settle,
    weaker,
)
from refactor.transforms.model import Level
from refactor.transforms.source import Source

HEADER = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
X, Y = ("of", "x"), ("of", "y")


def compared(text: str) -> str:
    """How certain it is that the two arguments of `probe(a, b)` have the same dtype and shape."""
    facts = Facts(Source(HEADER + textwrap.dedent(text)))
    (call,) = [n for n in facts.names.nodes(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == "probe"]
    function = facts.function_of(call)
    assert function is not None
    first, second = (facts.kinds.of(a) for a in call.args)
    return agree(first, second, facts.kinds.floats(function)).level.value


def in_function(body: str, parameters: str = "x, y, n") -> str:
    return compared(f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    "))


@pytest.mark.parametrize(
    "body",
    [
        "probe(x.relu(), x.relu() * 2)",
        "probe(x.relu() + 1, 2 - x.relu())",
        "probe(x.softmax(-1), x.softmax(-1) * 0.5)",
        "probe(x.mean(-1, keepdim=True), x.mean(-1, keepdim=True) + 1)",
        "probe(x.softmax(-1) - x.mean(-1, keepdim=True), x.softmax(-1))",
        "probe(x.sum(), x.sum() * 2)",
        "probe(torch.zeros(2, 3), torch.ones(2, 3))",
        "probe(torch.zeros(()), torch.ones(()))",
        "probe(torch.zeros(n), torch.ones(n))",
        "probe(torch.zeros(x.shape[0], 4), torch.ones(x.shape[0], 4))",
        "probe(x.relu()[:, 0], x.relu()[:, 0] + 1)",
        "probe(x.relu().transpose(0, 1), x.relu().transpose(0, 1))",
        "probe(x.relu().float(), x.relu().to(torch.float32))",
        "probe(x.relu().view(-1), x.relu().view(-1) + 1)",
        "probe(x.mean() * x, x * 2.0)",
        "xs = [x.relu(), x.relu()]\nprobe(xs[0], xs[1])",
        "a, b = x.relu(), x.relu()\nprobe(a, b)",
        "h = x.relu()\nfor i in range(n):\n    h = h * 2\n    probe(h, h + 1)",
    ],
)
def test_proved(body: str) -> None:
    assert in_function(body) == "proved"


@pytest.mark.parametrize(
    "body",
    [
        "probe(x.relu() * 0.5, x.relu())",
        "probe(x.relu() / 2, x.relu())",
        "probe(x.relu().exp(), x.relu())",
        "x = x.relu()\nprobe(x * y.sum().item(), x * n.sum().item())",  # an int and a float, for all one knows
        "if n:\n    return x.mean()\nprobe(x * 0.5, x)",  # only the other path needs floating numbers
        "for i in n:\n    y = x.mean()\nprobe(x * 0.5, x)",
        "try:\n    y = x.mean()\nexcept RuntimeError:\n    pass\nprobe(x.relu() * 0.5, x)",
        "y = x.mean() if n else 1\nprobe(x.relu() * 0.5, x)",
        "y = n and x.mean()\nprobe(x.relu() * 0.5, x)",
        "y = [x.mean() for _ in n]\nprobe(x.relu() * 0.5, x)",
        "F.linear(x, y)\nprobe(x.relu() * 0.5, x)",  # integers are taken too, as by the next ones
        "torch.logsumexp(x, 0)\nprobe(x.relu() * 0.5, x)",
        "F.dropout(x, training=False)\nprobe(x.relu() * 0.5, x)",
        "torch.erfinv(x)\nprobe(x.relu() * 0.5, x)",
    ],
)
def test_assumed_where_it_hangs_on_a_floating_dtype(body: str) -> None:
    assert in_function(body) == "assumed"


@pytest.mark.parametrize(
    "body",
    [
        # Text that looks the same and means another size.
        "probe(x.mean(-1, keepdim=True), x.mean(-2, keepdim=True))",
        "probe(x.mean((0, 1), keepdim=True), x.mean((1, 2), keepdim=True))",
        "m = n + 1\nprobe(x.mean(n, keepdim=True), x.mean(m, keepdim=True))",
        "probe(torch.quantile(x, y, 0, keepdim=True), torch.quantile(x, n, 0, keepdim=True))",
        "a = torch.zeros(n)\nn = n + 1\nprobe(a, torch.zeros(n))",
        "a = torch.zeros(n)\nn += 1\nprobe(a, torch.zeros(n))",
        "a = torch.zeros(x.shape[0])\nx = x[1:]\nprobe(a, torch.zeros(x.shape[0]))",
        "a = torch.zeros(len(y))\ny.append(1)\nprobe(a, torch.zeros(len(y)))",
        "probe(torch.zeros(next(n)), torch.zeros(next(n)))",
        "probe(torch.zeros(size=(2, 3)), torch.zeros(size=(4,)))",
        "probe(torch.zeros(y[0]), torch.zeros(y[0]))",
        "probe(x.relu().sum(**n), x.sum())",
        "probe(x.relu().sum(*n), x.sum())",
        "probe(x.relu().to(**n), x.relu())",
        "a = x.view(n, 2)\nn = n + 1\nprobe(a, x.view(n, 2))",
        "probe(x.view(torch.int32), x)",
        "probe(x.type(torch.int32), x)",
        # Values that decide the shape.
        "probe(x[x > 0], x[x > 0])",
        "probe(x.nonzero(), x.nonzero())",
        "probe(x.relu()[n], x.relu()[n:])",
        # Mutation.
        "xs = [x.relu()]\nxs.append(x[:2])\nprobe(xs[-1], x.relu())",
        "xs = [x.relu()]\nxs[0] = x[:2]\nprobe(xs[0], x.relu())",
        "xs = [x.relu()]\nys = xs\nys.append(x[:2])\nprobe(xs[-1], x.relu())",
        "xs = [x.relu()]\nn.fill(xs)\nprobe(xs[0], x.relu())",
        "xs = [x.relu()]\nxs += [x[:2]]\nprobe(xs[-1], x.relu())",
        "x = x.relu()\na = x.clone()\na.unsqueeze_(0)\nprobe(a, x)",
        "x = x.relu()\na = b = x.clone()\na.squeeze_()\nprobe(b, x)",
        "x = x.relu()\na = x.clone()\na.resize_(3)\nprobe(a, x)",
        "x = x.relu()\na = x.clone()\na.data = x.sum()\nprobe(a, x)",
        # Numbers and categories.
        "x = x.mean(-1)\nprobe(x * 1j, x)",
        "probe(torch.pow(2.5, x.long()), x.long())",
        "k = torch.zeros_like(x, dtype=torch.int64)\nprobe(x + k, x + k.sum())",
        "probe(x > 0, (x > 0) + 1)",
        "probe(x.relu() > 0, x.relu())",
        # Python values among tensors.
        "x = x.relu()\nprobe(n and x, x)",
        "x = x.relu()\nprobe(None if n else x, x)",
        "x = x.relu()\nprobe(max(x, y), x)",
        "x = x.relu()\nprobe(x.sum().item(), x.sum())",
        # One iteration and the next.
        "for i in range(n):\n    cur = x[:i]\n    if i > 0:\n        probe(cur, prev)\n    prev = cur",
        "p = q = x.relu()\nfor i in range(n):\n    cur = x[:i]\n    probe(q, x.relu())\n    q = p\n    p = cur",
        "h = x.relu()\nfor i in range(n):\n    h = h[1:]\nprobe(h, x.relu())",
        "h = x.relu()\nwhile n:\n    n -= 1\n    h = h.sum()\nprobe(h, x.relu())",
        "h = x.relu()\nfor i in range(n):\n    if i == 1:\n        h = h.sum()\n        continue\nprobe(h, x.relu())",
        "h = x.relu()\nfor i in range(n):\n    if i == 1:\n        h = h.sum()\n        break\nprobe(h, x.relu())",
        # Who else binds the name.
        "y = x = x.relu()\ndef g():\n    nonlocal y\n    y = x.sum()\ng()\nprobe(y, x)",
        "global y2\ny2 = x.relu()\nprobe(y2, x.relu())",
        "y = x = x.relu()\ntry:\n    y = x.sum()\nexcept ValueError:\n    pass\nprobe(y, x)",
        "y = x = x.relu()\ntry:\n    n()\n    y = x.sum()\nfinally:\n    probe(y, x)",
        "import contextlib\ny = x = x.relu()\nwith contextlib.suppress(IOError):\n    y = x.sum()\nprobe(y, x.sum())",
        "y = x = x.relu()\nwith n:\n    y = x.sum()\nprobe(y, x.sum())",
        "y = x = x.relu()\nn and (y := x.sum())\nprobe(y, x)",
        "y = x = x.relu()\nn if n else (y := x.sum())\nprobe(y, x)",
        "y = x = x.relu()\n[y := x.sum() for _ in n]\nprobe(y, x)",
        "y = x = x.relu()\nmatch n:\n    case 1:\n        y = x.sum()\nprobe(y, x)",
        "y = x = x.relu()\nmatch n:\n    case y:\n        pass\nprobe(y, x)",
        "y = x = x.relu()\nfor y in n:\n    pass\nprobe(y, x)",
        "y = x = x.relu()\nwith n as y:\n    pass\nprobe(y, x)",
        "y = x = x.relu()\nimport y\nprobe(y, x)",
        "y = x = x.relu()\ndef y(): ...\nprobe(y, x)",
        "isinstance = n\nif isinstance(y, torch.Tensor):\n    probe(y, y)",
    ],
)
def test_not_claimed(body: str) -> None:
    assert in_function(body) in ("unknown", "no")


HELPERS = """\
def plain(v, w=None):
    return torch.zeros_like(v)

def defaulted(v, y=torch.zeros(3)):
    return y.relu()

def cut(v, k):
    return v.relu()[:k]

def squared(f):
    return lambda v: f(v).sum()

@squared
def decorated(v):
    return v.relu()

def generated(v):
    yield v.relu()

async def awaited(v):
    return v.relu()

"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("plain(x)", "plain(x) * 2", "proved"),
        ("plain(x)", "x.relu()", "proved"),
        ("plain(*y)", "x.relu()", "unknown"),
        ("plain(*y)", "plain(*n)", "unknown"),
        ("plain(**y)", "x.relu()", "unknown"),
        ("defaulted(x)", "y.relu()", "unknown"),
        ("cut(x, 1)", "cut(x, 2)", "unknown"),
        ("cut(x, n)", "cut(x, n)", "unknown"),
        ("decorated(x)", "x.relu()", "unknown"),
        ("generated(x)", "x.relu()", "unknown"),
        ("awaited(x)", "x.relu()", "unknown"),
    ],
)
def test_calls(first: str, second: str, expected: str) -> None:
    assert compared(f"{HELPERS}def f(x, y, n):\n    probe({first}, {second})\n") == expected


CLASSES = """\
class Head(nn.Module):
    def __init__(self, d, out):
        super().__init__()
        self.proj = nn.Linear(d, out)
        self.weight = nn.Parameter(torch.zeros(out))
        self.fixed = nn.Linear(8, 4)
        self.emb = nn.Embedding(10, out)

    def forward(self, x):
        return self.proj(x)

    def scale(self):
        return self.weight

    def four(self, x):
        return self.fixed(x)

    def look(self, i):
        return self.emb(i)


class Model(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.a = Head(d, 4)
        self.b = Head(d, 2)
        self.one = nn.Linear(8, d)
        self.also = nn.Linear(8, d)
        d = d * 2
        self.two = nn.Linear(8, d)
        self.either = nn.Linear(8, 4) if c else nn.Linear(8, 3)
        self.other = nn.Linear(8, 2) if c else nn.Linear(8, 1)
        self.moved = nn.Linear(8, 4)
        self.moved_too = nn.Linear(8, 2)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.1)
        self.norm = nn.LayerNorm(8)
        self.flat = nn.Flatten()
        self.mlp = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])

    def reset(self):
        self.moved = nn.Linear(8, 7)
        self.moved_too = nn.Linear(8, 6)

    @property
    def width(self):
        return self.one.weight

    def helper(self, x):
        return x * 2

    def changed(self, x):
        return x.relu()

    def f(self, x, y, n):
        probe({first}, {second})


class Other(Model):
    def changed(self, x):
        return x.sum()
"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("self.a(x)", "self.a(x) * 2", "proved"),
        ("self.a(x)", "self.b(x)", "unknown"),
        ("self.a.scale()", "self.b.scale()", "unknown"),
        ("self.a.scale()", "self.a.scale()", "proved"),
        ("self.a.four(x)", "self.b.four(x)", "proved"),
        ("self.a.look(x)", "self.b.look(x)", "unknown"),
        ("self.either(x)", "self.other(x)", "unknown"),
        ("self.either(x)", "self.either(x)", "proved"),
        ("self.moved(x)", "self.moved_too(x)", "unknown"),
        ("self.one(x)", "self.two(x)", "unknown"),
        ("self.mlp(x)", "self.mlp(x) * 0.5", "proved"),
        ("self.act(x.softmax(-1))", "x.softmax(-1)", "proved"),
        ("self.drop(x)", "x", "proved"),
        ("self.flat(x)", "self.flat(x)", "unknown"),
        ("self.helper(x.softmax(-1))", "x.softmax(-1)", "proved"),
        ("self.changed(x.softmax(-1))", "x.softmax(-1)", "unknown"),
    ],
)
def test_modules(first: str, second: str, expected: str) -> None:
    assert compared(CLASSES.format(first=first, second=second)) == expected


def test_promote_keeps_small_tensors_apart() -> None:
    assert promote([(INT64, X), (X, SCALAR)], ()) == ("promote", frozenset({INT64}), frozenset({X}))
    assert promote([(INT64, X), (X, Y)], ()) == ("promote", frozenset({INT64, X}))
    assert promote([(DEFAULT, ("last", X, "4")), (X, SCALAR)], ()) == DEFAULT
    assert promote([(X, X), (None, X)], ()) is None


def test_settle_drops_promotions_of_floating_dtypes() -> None:
    assert settle(("float", X), {X}) == X
    assert settle(("float", X), ()) == ("float", X)
    assert settle(("summed", X), {X}) == X
    assert settle(("mixed", X, ("node", 1)), {X}) == X
    assert settle(("promote", frozenset({X, ("float", X)})), {X}) == X
    assert as_float(INT64, ()) == DEFAULT
    assert as_float(("named", "int32"), ()) == ("float", ("named", "int32"))
    assert as_float(("named", "bfloat16"), ()) == ("named", "bfloat16")


def test_category() -> None:
    assert category(BOOL) == "bool"
    assert category(("named", "uint8")) == "int"
    assert category(("named", "complex64")) == "float"
    assert category(("promote", frozenset({INT64}), frozenset({DEFAULT}))) == "float"
    assert category(X) is None
    assert category(X, {X}) == "float"


def test_broadcast() -> None:
    assert broadcast([X, X, SCALAR]) == X
    assert broadcast([SCALAR, SCALAR]) == SCALAR
    assert broadcast([X, ("keep", X, "0")]) == X
    assert broadcast([X, Y]) == ("broadcast", frozenset({X, Y}))
    assert broadcast([X, None]) is None


def test_dimensions_that_are_certain() -> None:
    assert has_dimensions(("last", X, "4"))
    assert has_dimensions(("sized", ("2",), (), True))
    assert not has_dimensions(("sized", ("n",), (), False))
    assert not has_dimensions(X)


def test_join() -> None:
    tensor, number = Value(Tag.TENSOR, dtype=X, shape=X), Value(Tag.HOST, detail="int")
    assert join(tensor, tensor, ("if", 1)) is tensor
    assert join(tensor, Value(Tag.NONE), ("if", 1)).optional
    assert join(tensor, number, ("if", 1)).tag is Tag.UNKNOWN
    other = Value(Tag.TENSOR, Level.ASSUMED, dtype=Y, shape=X)
    met = join(tensor, other, ("if", 1))
    assert (met.level, met.dtype, met.shape) == (Level.ASSUMED, ("at", "if", 1), X)
    assert weaker(Level.PROVED, Level.OBSERVED) is Level.OBSERVED


def test_what_a_loop_makes_is_of_an_earlier_iteration_in_the_next() -> None:
    inside = {7}
    made = Value(Tag.TENSOR, dtype=X, shape=("node", 7))
    assert earlier(made, 1, inside) == Value(Tag.TENSOR, dtype=X, shape=("earlier", 1, ("node", 7)))
    kept = Value(Tag.TENSOR, dtype=X, shape=("node", 8))
    assert earlier(kept, 1, inside) == kept


def test_agreement_names_the_other_kind() -> None:
    found = agree(Value(Tag.TENSOR, dtype=X, shape=X), Value(Tag.HOST), ())
    assert (found.level, found.because) == (Level.NO, "one arm gives a host value")
    assert agree(UNKNOWN, UNKNOWN, ()).level is Level.NO


def test_a_scalar_whose_dtypes_take_part_anyway_changes_no_dtype() -> None:
    mixed = ("promote", frozenset({("of", "a"), ("linear", ("of", "b"))}))
    assert promote([(mixed, ("of", "a")), (mixed, SCALAR)], ()) == mixed
    other = promote([(mixed, ("of", "a")), (("of", "c"), SCALAR)], ())
    assert other != mixed
