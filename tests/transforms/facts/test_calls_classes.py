"""What classes hold, and which function a call runs."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.classes import attribute_stores
from refactor.transforms.source import Source

HEADER = "import dataclasses\nimport typing\nimport torch\nfrom torch import nn\n"


def facts_of(text: str) -> Facts:
    return Facts(Source(HEADER + textwrap.dedent(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class C(nn.Module): ...", True),
        ("class B(nn.Module): ...\nclass C(B): ...", True),
        ("class C(nn.Linear): ...", True),
        ("from transformers import PreTrainedModel\nclass C(PreTrainedModel): ...", True),
        ("class C(torch.optim.Optimizer): ...", False),
        ("class Module: ...\nclass C(Module): ...", False),
        ("class C(nn.Parameter): ...", False),
        ("class C: ...", False),
        ("nn = object\nclass C(nn.Module): ...", False),
    ],
)
def test_modules(text: str, expected: bool) -> None:
    assert facts_of(text).classes.by_path[".C"].is_module is expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("self.a = x", [("a", "x")]),
        ("self.a = self.b = x", [("a", "x"), ("b", "x")]),
        ("self.a, self.b = x, y", [("a", "x"), ("b", "y")]),
        ("(self.a, c), self.b = (x, y), z", [("a", "x"), ("b", "z")]),
        ("self.a, *self.b = x, y", [("a", None), ("b", None)]),
        ("self.a, self.b = x", [("a", None), ("b", None)]),
        ("self.a: int = x", [("a", "x")]),
        ("self.a: int", []),
        ("self.a += x", [("a", None)]),
        ("for self.a in x: pass", [("a", None)]),
        ("for self.a, b in x: pass", [("a", None)]),
        ("with x as self.a, y as (self.b, c): pass", [("a", None), ("b", None)]),
        ("del self.a", [("a", None)]),
        ("setattr(self, 'a', x)", [("a", None)]),
        ("setattr(self, f'a{x}', x)", [("a*", None)]),
        ("setattr(self, x, y)", [("*", None)]),
        ("delattr(self, 'a')", [("a", None)]),
        ("self.a.b = x", []),
        ("self.a[0] = x", []),
        ("other.a = x", []),
        ("x = self.a", []),
    ],
)
def test_attribute_stores(statement: str, expected: list[tuple[str, str | None]]) -> None:
    function = ast.parse(f"def f(self, x, y, z, other):\n    {statement}").body[0]
    found = [(name, ast.unparse(value) if value else None) for name, value in attribute_stores(function, "self")]
    assert sorted(found) == expected


@pytest.mark.parametrize(
    ("method", "rebound"),
    [
        ("def m(self): self.a = 2", True),
        ("def m(self): self.a, b = 2, 3", True),
        ("def m(self):\n        for self.a, b in c: pass", True),
        ("def m(self, k): setattr(self, k, 2)", True),
        ("def m(self, k): setattr(self, f'a_{k}', 2)", False),
        ("def m(self): self.register_buffer('a', None)", True),
        ("def m(self): self.add_module('a', None)", True),
        ("def m(self, k): self.register_parameter(k, None)", True),
        ("def m(self, o): o.a = 2", True),
        ("def m(self): return self.a", False),
        ("def m(self): self.b = self.a", False),
    ],
)
def test_rebound(method: str, rebound: bool) -> None:
    text = f"class C(nn.Module):\n    def __init__(self):\n        self.a = 1\n    {method}\n"
    assert facts_of(text).classes.by_path[".C"].is_rebound("a") is rebound


def test_defaults_of_a_constructor_are_no_values() -> None:
    for head in ("@dataclasses.dataclass\nclass C:", "class C(typing.NamedTuple):"):
        assert facts_of(f"{head}\n    a: int = 1\n").classes.by_path[".C"].is_rebound("a")


def test_values_of_subclasses_count() -> None:
    facts = facts_of("""
    class B(nn.Module):
        def __init__(self):
            self.a = nn.ReLU()
            self.register_buffer("b", torch.zeros(2))
            self.register_buffer(name="c", tensor=torch.ones(2))

    class C(B):
        def __init__(self):
            self.a = nn.Linear(2, 2)
    """)
    info = facts.classes.by_path[".B"]
    assert [ast.unparse(v) for v in info.attribute("a")] == ["nn.ReLU()"]
    assert [ast.unparse(v) for v in facts.classes.values(info, "a")] == ["nn.ReLU()", "nn.Linear(2, 2)"]
    assert {k: ast.unparse(v) for k, v in info.buffers.items()} == {"b": "torch.zeros(2)", "c": "torch.ones(2)"}
    assert [c.path for c in facts.classes.by_path[".C"].lineage()] == [".C", ".B"]


FILE = """
def wrapped(f): return f
def plain(x): return x
@wrapped
def decorated(x): return x
@torch.no_grad()
def graded(x): return x

class Block(nn.Module):
    def __init__(self, d): self.d = d
    def forward(self, x): return x
    @staticmethod
    def static(x): return x

class Plain:
    def __call__(self, x): return x

class Base(nn.Module):
    def helper(self, x): return x
    def swapped(self, x): return x
    def reset(self): self.swapped = plain
    def inherited(self, x): return x

class Model(Base):
    def __init__(self, given):
        self.block = Block(1)
        self.either = given or Block(1)
        self.rebound = Block(1)
        self.blocks = nn.ModuleList([Block(1) for _ in range(3)])
        self.mixed = nn.ModuleList([Block(1), Plain()])
        self.fn = plain
    def reset(self): self.rebound = Plain()
    def helper(self, x): return x
    def f(self, x, block, *args):
        local = Plain()
        twice = Plain()
        twice = block
        CALL

class Sub(Model):
    def helper(self, x): return x
"""


@pytest.mark.parametrize(
    ("call", "line", "plain"),
    [
        ("plain(x)", 7, True),
        ("decorated(x)", 9, False),
        ("graded(x)", 11, True),
        ("Block(1)", 14, True),
        ("Block(1)(x)", 15, True),
        ("self.block(x)", 15, True),
        ("self.block.forward(x)", 15, True),
        ("self.block.static(x)", 17, True),
        ("self.either(x)", 15, True),
        ("local(x)", 20, True),
        ("self.inherited(x)", 26, True),
        ("self.swapped(x)", 24, False),
        ("self.helper(x)", 37, False),
        ("self.rebound(x)", None, False),
        ("twice(x)", None, False),
        ("block(x)", None, False),
        ("self.fn(x)", None, False),
        ("x.helper(x)", None, False),
        ("len(x)", None, False),
    ],
)
def test_targets(call: str, line: int | None, plain: bool) -> None:
    facts = facts_of(FILE.replace("CALL", f"return probe({call})"))
    (probe,) = [n for n in facts.names.nodes(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == "probe"]
    wanted = probe.args[0]
    assert isinstance(wanted, ast.Call)
    target = facts.calls.target(wanted)
    assert (target and target.function.lineno) == line
    assert target is None or target.plain is plain


@pytest.mark.parametrize(("held", "expected"), [("blocks", ".Block"), ("mixed", None), ("block", None)])
def test_elements_of_a_list_of_modules(held: str, expected: str | None) -> None:
    facts = facts_of(FILE.replace("CALL", f"return self.{held}"))
    (node,) = [n.value for n in facts.names.nodes(ast.Return) if ast.unparse(n) == f"return self.{held}"]
    assert node is not None
    info = facts.calls.elements(node)
    assert (info and info.path) == expected


def test_callers_and_callees() -> None:
    facts = facts_of("def a(x): return b(x)\ndef b(x): return [a(v) for v in x]\n")
    first, second = facts.names.functions()
    assert [t.function.name for _, t in facts.calls.callees(first)] == ["b"]
    assert [c.lineno for c in facts.calls.callers(first)] == [6]
    assert [t.function.name for _, t in facts.calls.callees(second)] == ["a"]
