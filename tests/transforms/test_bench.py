"""Pieces of a source as libcst nodes and back: comments, margins, line ends, names."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.craft.bench import Bench, comments
from refactor.transforms.facts import Facts
from refactor.transforms.model import RuleSettings
from refactor.transforms.smith import apply_edits
from refactor.transforms.source import Source


def bench_of(text: str) -> Bench:
    source = Source(text)
    return Bench(source, Facts(source), RuleSettings())


def body(bench: Bench) -> list[ast.stmt]:
    function = bench.source.tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.body


def test_statements_keep_their_comments_and_quotes() -> None:
    text = 'def f():\n    x = "a"  # one\n    # two\n    y = (1,\n         2)  # three\n    z = 0\n'
    bench = bench_of(text)
    made = bench.statements(body(bench)[:2])
    assert bench.render(made, "    ") == '    x = "a"  # one\n    # two\n    y = (1,\n         2)  # three'
    assert bench.render(made, "") == 'x = "a"  # one\n# two\ny = (1,\n     2)  # three'


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_replacing_keeps_line_ends_and_carries_comments(newline: str) -> None:
    text = newline.join(["def f():", "\tx = 1  # one", "\t# two", "\ty = 2", "\treturn x", ""])
    bench = bench_of(text)
    edit = bench.replace(body(bench)[:2], "\tx = y = 3")
    expected = newline.join(["def f():", "\t# one", "\t# two", "\tx = y = 3", "\treturn x", ""])
    assert apply_edits(text, [edit]) == expected


def test_an_elif_becomes_the_body_of_an_else() -> None:
    text = "def f():\n    if a:\n        x = 1\n    elif b:\n        x = 2\n"
    bench = bench_of(text)
    branch = body(bench)[0]
    assert isinstance(branch, ast.If)
    inner = branch.orelse[0]
    assert bench.is_elif(inner)
    edit = bench.replace([inner], bench.margin(inner) + "x = 3")
    assert apply_edits(text, [edit]) == "def f():\n    if a:\n        x = 1\n    else:\n        x = 3\n"


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("def f():\n    x = 1\n", True),
        ("def f():\n    x = 1  # why\n", True),
        ("def f():\n    x = 1; y = 2\n", False),
        ("def f(): x = 1\n", False),
        ("def f():\n    x = 1;\n", False),
    ],
)
def test_statements_that_share_their_line(text: str, alone: bool) -> None:
    bench = bench_of(text)
    assert bench.alone(body(bench)[:1]) is alone


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = (a + b)\n", "x = g(1)\n"),
        ("x = f(a + b)\n", "x = f(g(1))\n"),
        ("x = y[(a + b)]\n", "x = y[g(1)]\n"),
        ("x = (  # why\n    a + b\n)\n", "x = (  # why\n    g(1)\n)\n"),
        ("x = 'é' + str(a + b)\n", "x = 'é' + str(g(1))\n"),
    ],
)
def test_swapping_an_expression(text: str, expected: str) -> None:
    bench = bench_of(text)
    node = next(n for n in ast.walk(bench.source.tree) if isinstance(n, ast.BinOp) and ast.unparse(n) == "a + b")
    assert apply_edits(text, [bench.swap(node, "g(1)")]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = a", "a"),
        ("x = a + b", "(a + b)"),
        ("x = f(a)", "f(a)"),
        ("x = (a,\n b)", "((a,\n b))"),
        ("x = -a", "(-a)"),
    ],
)
def test_operands_are_parenthesised_where_they_must_be(text: str, expected: str) -> None:
    bench = bench_of(text)
    statement = bench.source.tree.body[0]
    assert isinstance(statement, ast.Assign)
    assert bench.operand(statement.value) == expected


def test_names() -> None:
    bench = bench_of("import torch as th\ndef _where(x): ...\ndef f(torch):\n    return 1\n")
    assert [bench.fresh("flag"), bench.fresh("flag"), bench.fresh("_where")] == ["flag", "flag_2", "_where_2"]
    assert bench.helper("_cond") == bench.helper("_cond") == "_cond"
    assert bench.used == {"_cond": "_cond"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch\ndef f(): ...\n", "torch"),
        ("import torch as th\ndef f(): ...\n", "th"),
        ("def f(): ...\n", "torch"),
        ("torch = None\ndef f(): ...\n", "_torch"),
    ],
)
def test_the_way_to_torch(text: str, name: str) -> None:
    bench = bench_of(text)
    assert bench.torch(bench.source.tree.body[-1]) == name


def test_comments_of_a_piece_that_is_not_whole() -> None:
    assert comments("x = '# no'  # one\nif y:  # two\n") == ["# one", "# two"]


def test_calls_that_are_too_long_get_a_line_for_each_argument() -> None:
    bench = bench_of("def f():\n  pass\n")
    assert bench.layout("return ", "g(a, b)", "  ", width=20) == "return g(a, b)"
    assert bench.layout("return ", "g(a, b)", "  ", width=10) == "return g(\n    a,\n    b,\n  )"


def test_comments_above_belong_to_a_statement_at_its_own_margin() -> None:
    bench = bench_of(
        textwrap.dedent("""\
        def f():
            x = 1
          # less
            # one
            # two
            y = 2
    """)
    )
    assert bench.comments_above(body(bench)[1]) == ["# one", "# two"]
