"""Conditions taken apart, their form in the graph, and what may raise."""

from __future__ import annotations

import ast

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.predicates import graph_form, holds_tensor, split, total
from refactor.transforms.model import NoFix
from refactor.transforms.source import Source

PARAMETERS = "x: torch.Tensor, y: torch.Tensor, o: torch.Tensor | None, n: int, r: float, b: bool, u"


def condition(text: str) -> tuple[ast.expr, Facts]:
    facts = Facts(Source(f"import torch\ndef f({PARAMETERS}):\n    if {text}:\n        pass\n"))
    (node,) = facts.names.nodes(ast.If)
    return node.test, facts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.any()", True),
        ("not x.any()", True),
        ("b and x.any()", True),
        ("x.sum() > n", True),
        ("n < x.sum() < r", True),
        ("bool(x.any())", True),
        ("any(x > 0)", True),
        ("x.sum().item() > 0", True),
        ("x is None", False),
        ("x.shape[0] > n", False),
        ("x.numel()", False),
        ("isinstance(x, torch.Tensor)", False),
        ("b", False),
        ("u", False),
        ("len(x) > 1", False),
        ("x in u", False),
    ],
)
def test_reads_a_tensor(text: str, expected: bool) -> None:
    assert holds_tensor(*condition(text)) is expected


@pytest.mark.parametrize(
    ("text", "host", "tensor"),
    [
        ("x.any()", [], "x.any()"),
        ("b and n and x.any()", ["b", "n"], "x.any()"),
        ("b and x.any() and n", ["b"], "x.any() and n"),
        ("b or x.any()", [], "b or x.any()"),
    ],
)
def test_host_conjuncts_are_split_off(text: str, host: list[str], tensor: str) -> None:
    found = split(*condition(text))
    assert found is not None
    assert ([ast.unparse(h) for h in found.host], ast.unparse(found.tensor)) == (host, tensor)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.any()", "x.any()"),
        ("bool(x.sum())", "x.sum()"),
        ("not x.any()", "~x.any()"),
        ("not x.sum()", "~(x.sum() != 0)"),
        ("x.any() and y.all()", "x.any() & y.all()"),
        ("x.any() or not y.any()", "x.any() | ~y.any()"),
        ("x.any() and (y.sum() > 0)", "x.any() & (y.sum() > 0)"),
    ],
)
def test_form_in_the_graph(text: str, expected: str) -> None:
    test, facts = condition(text)
    assert graph_form(test, facts, ast.unparse) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x.any() and b", "`b` mixes a Python value into a condition on tensors"),
        ("x.any() and x.max() > 0", "`x.max() > 0` may raise where the operands before it decide alone"),
        ("x.any() and (k := y.any())", "`(k := y.any())` may raise where the operands before it decide alone"),
        ("x.any() and (x == y).all()", "`(x == y).all()` may raise where the operands before it decide alone"),
        ("x and y.any()", "`x` is not known to be a 0-d tensor"),
        ("x.sum().item() > 0.1", "`x.sum().item() > 0.1` is decided on the host"),
    ],
)
def test_no_form_in_the_graph(text: str, reason: str) -> None:
    test, facts = condition(text)
    found = graph_form(test, facts, ast.unparse)
    assert isinstance(found, NoFix)
    assert found.reason == reason


@pytest.mark.parametrize(
    "text",
    [
        *("x.any()", "x.sum() > 0", "x.mean() > r", "torch.isnan(x).any()", "x.abs().sum()", "(x == x).all()"),
        *("x.numel()", "x.sum(-1)", "x.sum().item()", "float(x.sum())", "int(x.any())", "n + 1 > 2", "x is None"),
        *("o is None", "not x.any()", "x.sum() / y.sum()", "~x.any()", "x.clamp(0, 1)", "bool(x.any())"),
    ],
)
def test_never_raises(text: str) -> None:
    assert total(*condition(text))


@pytest.mark.parametrize(
    "text",
    [
        *("x.max()", "x[0]", "x.sum(1)", "x.size(1)", "x.item()", "bool(x)", "float(x)", "int(x.sum())", "int(r)"),
        *("x == y", "x + y", "(x > y).any()", "torch.eq(x, y)", "x @ y", "n // 2", "1 / n", "n % 2", "2 ** n"),
        *("o.any()", "u > 1", "~x", "any(x)", "sum(x)", "max(x)", "u(x)", "x.frob()", "n in u"),
        *("(k := x.any())", "[v for v in x]", "x.any(*u)", "x.any(**u)", "x and b", "not x", "1 if x else 2"),
    ],
)
def test_may_raise(text: str) -> None:
    assert not total(*condition(text))


def test_truth_may_raise_where_the_value_does_not() -> None:
    test, facts = condition("x > 0")
    assert total(test, facts)
    assert not total(test, facts, truth=True)
