"""Liveness, definite assignment, and what statements bind and read."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts.flow import Flow, binds, binds_surely, leaves, own_jumps, reads, unbinds


def flow_of(body: str, parameters: str = "a, b, c") -> tuple[Flow, ast.stmt]:
    """The flow of a function, and the statement that holds the name `HERE` (or binds it)."""
    tree = ast.parse(f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    "))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    simple = (ast.Assign, ast.Expr, ast.Assert, ast.AugAssign, ast.Delete)
    here = [n for n in ast.walk(function) if isinstance(n, simple) and "HERE" in ast.unparse(n)]
    return Flow(function), here[0]


def live(body: str, parameters: str = "a, b, c") -> set[str]:
    flow, here = flow_of(body, parameters)
    return set(flow.live_after(here)) & {"a", "b", "c", "d"}


def bound(body: str, parameters: str = "") -> set[str]:
    flow, here = flow_of(body, parameters)
    return set(flow.bound_before(here)) & {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("HERE = 1\nreturn a", {"a"}),
        ("HERE = 1\na = 2\nreturn a", set()),
        ("HERE = 1\na += 2\nreturn b", {"a", "b"}),
        ("HERE = 1\na[0] = b\nreturn c", {"a", "b", "c"}),
        ("HERE = 1\na.x = b", {"a", "b"}),
        ("HERE = 1\ndel a", {"a"}),
        ("HERE = 1\nif a:\n    b = 1\nreturn b", {"a", "b"}),
        ("HERE = 1\nif a:\n    b = 1\nelse:\n    b = 2\nreturn b", {"a"}),
        ("HERE = 1\na and (b := 1)\nreturn b", {"a", "b"}),
        ("HERE = 1\nassert a, (b := 1)\nreturn b", {"a", "b"}),
        ("HERE = 1\n[b := i for i in a]\nreturn b", {"a", "b"}),
        ("HERE = 1\n(b := a)\nreturn b", {"a"}),
        ("for i in a:\n    HERE = 1\n    b.x()", {"b"}),
        ("for i in a:\n    c.x(b)\n    HERE = 1\n    b = 2", {"c"}),
        ("for i in a:\n    c.x(b)\n    b = 2\n    HERE = 1", {"b", "c"}),
        ("while a:\n    HERE = 1\nelse:\n    return b", {"a", "b"}),
        ("while a:\n    HERE = 1\n    break\nelse:\n    return b\nreturn c", {"c"}),
        ("while a:\n    HERE = 1\n    continue\nelse:\n    return b\nreturn c", {"a", "b"}),
        ("for a in b:\n    for c in a:\n        HERE = 1\n        break", set()),
        ("try:\n    HERE = 1\n    b = 2\nexcept ValueError:\n    return b\nreturn a", {"a", "b"}),
        ("HERE = 1\ntry:\n    a = 1\nexcept ValueError:\n    a = 2\nreturn a", set()),
        ("HERE = 1\ntry:\n    x()\n    a = 1\nexcept ValueError:\n    b = 2\nreturn a", {"a"}),
        ("HERE = 1\ntry:\n    a = 1\n    x()\nexcept ValueError:\n    x(a)", {"a"}),
        ("try:\n    HERE = 1\n    return 0\nfinally:\n    a.close()", {"a"}),
        ("try:\n    a()\nexcept ValueError:\n    HERE = 1\n    return 0\nfinally:\n    b.close()", {"b"}),
        ("try:\n    a()\nexcept ValueError:\n    HERE = 1\n    raise\nfinally:\n    b.close()", {"b"}),
        ("try:\n    a()\nexcept ValueError:\n    pass\nelse:\n    HERE = 1\n    return 0\nfinally:\n    c()", {"c"}),
        ("for i in a:\n    try:\n        HERE = 1\n        break\n    finally:\n        b()\nreturn c", {"b", "c"}),
        ("with a:\n    HERE = 1\n    raise ValueError\nreturn b", {"b"}),
        ("with a:\n    HERE = 1\nwith b as c[a]:\n    pass", {"a", "b", "c"}),
        ("with b as c:\n    HERE = 1\nreturn c", {"c"}),
        ("HERE = 1\nmatch a:\n    case b.X:\n        return c", {"a", "b", "c"}),
        ("HERE = 1\nmatch a:\n    case d if b:\n        return c", {"a", "b", "c"}),
        ("HERE = 1\nmatch a:\n    case [b, *c]:\n        return b", {"a", "b"}),
        ("HERE = 1\nreturn lambda a=b: c", {"b", "c"}),
        ("HERE = 1\ndef g(x=b):\n    return c", {"b", "c"}),
        ("HERE = 1\nreturn locals()", {"a", "b", "c"}),
        ("global a\nHERE = 1", {"a"}),
        ("def g():\n    nonlocal a\n    a = 1\nHERE = 1\ng()", {"a"}),
        ("HERE = 1\nclass C(b):\n    x = c", {"b", "c"}),
        ("HERE = 1\nreturn f'{a!r:{b}}'", {"a", "b"}),
        ("HERE = 1\nraise ValueError(a) from b", {"a", "b"}),
        ("HERE = 1\nyield a\nreturn b", {"a", "b"}),
        ("HERE = 1\na: int\nreturn b", {"b"}),
    ],
)
def test_live_after(body: str, expected: set[str]) -> None:
    assert live(body) == expected


def test_an_exception_group_leads_on_like_an_exception() -> None:
    assert live("try:\n    HERE = 1\n    b = 2\nexcept* ValueError:\n    a = b\nreturn a") == {"a", "b"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = 1\nHERE = 1", {"a"}),
        ("if x:\n    a = 1\nHERE = 1", set()),
        ("if x:\n    a = 1\nelse:\n    a = b = 2\nHERE = 1", {"a"}),
        ("if x:\n    a = 1\nelse:\n    return\nHERE = 1", {"a"}),
        ("if x:\n    a = 1\nelif y:\n    raise ValueError\nelse:\n    a = 2\nHERE = 1", {"a"}),
        ("for a in x:\n    b = 1\n    HERE = 1", {"a", "b"}),
        ("for a in x:\n    b = 1\nHERE = 1", set()),
        ("while (a := x):\n    HERE = 1", {"a"}),
        ("while x and (a := y):\n    HERE = 1", set()),
        ("if x and (a := y):\n    HERE = 1", set()),
        ("if (a := y) and x:\n    HERE = 1", {"a"}),
        ("x if y else (a := 1)\nHERE = 1", set()),
        ("x < y < (a := 1)\nHERE = 1", set()),
        ("[a := i for i in x]\nHERE = 1", set()),
        ("for i in (a := x):\n    HERE = 1", {"a"}),
        ("with x as a:\n    b = 1\n    HERE = 1", {"a", "b"}),
        ("with x as a:\n    b = 1\nHERE = 1", {"a"}),
        ("a = b = 1\nwith x:\n    del b\nHERE = 1", {"a"}),
        ("a = 1\ndel a\nHERE = 1", set()),
        ("a = 1\nfor i in x:\n    HERE = 1\n    del a", set()),
        ("a = 1\nfor i in x:\n    del a\nHERE = 1", set()),
        ("a = 1\nwhile x:\n    del a\nHERE = 1", set()),
        ("a = 1\ntry:\n    del a\nexcept ValueError:\n    HERE = 1", set()),
        ("try:\n    a = 1\nexcept ValueError:\n    HERE = 1", set()),
        ("try:\n    x()\nexcept ValueError as a:\n    HERE = 1", {"a"}),
        ("a = 1\ntry:\n    x()\nexcept ValueError as a:\n    pass\nHERE = 1", set()),
        ("try:\n    a = 1\nfinally:\n    b = 1\nHERE = 1", {"a", "b"}),
        ("try:\n    a = 1\nexcept ValueError:\n    a = 2\nHERE = 1", {"a"}),
        ("try:\n    a = 1\nexcept ValueError:\n    raise\nelse:\n    b = 1\nHERE = 1", {"a", "b"}),
        ("try:\n    a = b = 1\nexcept ValueError:\n    a = 2\nHERE = 1", {"a"}),
        ("b = 1\ntry:\n    a = 1\nexcept ValueError:\n    del b\n    a = 2\nHERE = 1", {"a"}),
        ("b = 1\ntry:\n    a = 1\nfinally:\n    del b\nHERE = 1", {"a"}),
        ("try:\n    a = 1\nexcept ValueError:\n    return 0\nfinally:\n    HERE = 1", set()),
        ("a = 1\nmatch x:\n    case 1:\n        del a\nHERE = 1", set()),
        ("match x:\n    case [a, *b] if a:\n        HERE = 1", {"a", "b"}),
        ("import a.b, c as d\nHERE = 1", {"a", "d"}),
        ("def a(): ...\nclass b: ...\nHERE = 1", {"a", "b"}),
    ],
)
def test_bound_before(body: str, expected: set[str]) -> None:
    assert bound(body, "x, y") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, (b, *c) = x", {"a", "b", "c"}),
        ("a.x = b[0] = 1", set()),
        ("[a for a in x]", set()),
        ("[(a := b) for b in x]", {"a"}),
        ("lambda a: (b := a)", set()),
        ("def f(a): b = 1", {"f"}),
        ("for a, b in x: c = 1", {"a", "b", "c"}),
        ("match x:\n    case {'k': a, **b}: pass\n    case C(z=c) as d: pass", {"a", "b", "c", "d"}),
        ("try: pass\nexcept ValueError as a: pass", {"a"}),
        ("del a", {"a"}),
    ],
)
def test_binds(text: str, expected: set[str]) -> None:
    assert binds(*ast.parse(text).body) == expected


def test_a_part_that_may_not_run_binds_nothing_for_sure() -> None:
    assert binds_surely(ast.parse("(a := x) and (b := y) or [c := i for i in z]")) == {"a"}
    assert unbinds(ast.parse("del a\nfor i in x:\n    del b\ntry: pass\nexcept E as c: pass")) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b.c", {"a", "b"}),
        ("lambda a: a + b", {"b"}),
        ("lambda a=a: a", {"a"}),
        ("lambda a=(lambda b: b)(c): b", {"b", "c"}),
        ("lambda *a, **b: (a, b, c)", {"c"}),
        ("[a for a in a]", {"a"}),
        ("[a for a in b if c]", {"b", "c"}),
        ("{a: b for a, b in c.items()}", {"c"}),
        ("(a := b)", {"b"}),
        ("f(a=b)", {"f", "b"}),
    ],
)
def test_reads(text: str, expected: set[str]) -> None:
    assert reads(ast.parse(text, mode="eval").body) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return 1", True),
        ("x = 1", False),
        ("if x:\n    return\nelse:\n    raise ValueError", True),
        ("if x:\n    return", False),
        ("while True: pass", False),
        ("for i in x:\n    return", False),
    ],
)
def test_leaves(text: str, expected: bool) -> None:
    assert leaves(ast.parse(text).body) is expected


def test_jumps_belong_to_the_nearest_loop() -> None:
    body = ast.parse(
        "for i in x:\n    for j in y:\n        break\n    else:\n        continue\n    if z:\n        break"
    ).body
    outer = body[0]
    assert isinstance(outer, ast.For)
    assert [type(j).__name__ for j in own_jumps(outer.body)] == ["Continue", "Break"]
