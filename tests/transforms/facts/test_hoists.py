"""What a compiled entry can decide before its graph, and what must stay where it stands."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.hoists import Hoist, flag_name
from refactor.transforms.source import Source

HEADER = "import torch\nimport torch.nn.functional as F\n\n\ndef note(v): v.add_(1)\n\n\n@torch.compile\n"


def hoist(body: str, parameters: str = "x: torch.Tensor, y: torch.Tensor, n") -> tuple[list[str], dict[str, str]]:
    """The statements and the flags (text under guards, by name) that leave the function."""
    facts = Facts(Source(HEADER + f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    ")))
    (function,) = [f for f in facts.names.functions() if f.name == "f"]
    plan = facts.hoists.of(function)
    if not isinstance(plan, Hoist):
        return [], {}
    flags = {}
    for flag in plan.flags:
        guards = [f"{'' if holds else 'not '}{ast.unparse(test)}" for test, holds in flag.guards]
        flags[flag.name] = " and ".join([*guards, ast.unparse(flag.node)])
    return [ast.unparse(s) for s in plan.prologue], flags


BRANCH = "if x.all():\n    return y\nreturn y * 2"


@pytest.mark.parametrize(
    ("body", "statements", "flags"),
    [
        (BRANCH, [], {"x_all": "x.all()"}),
        ("k = x.sum().item()\nreturn y * k", ["k = x.sum().item()"], {}),
        ("if n is None:\n    return y\nk = x.item()\nreturn y * k", [], {"x_value": "not n is None and x.item()"}),
        # The mean of integers is an error, so it is computed where the original computes it.
        (
            "if n is None:\n    return y\nif x.mean() > 0:\n    return y\nreturn y * 2",
            [],
            {"x_mean_above_0": "not n is None and x.mean() > 0"},
        ),
        ("print('seen')\n" + BRANCH, [], {"x_all": "x.all()"}),
        ("y = y * 2\nz = torch.rand(3)\n" + BRANCH, [], {"x_all": "x.all()"}),
        ("h = y.sum()\nh += 1\n" + BRANCH, [], {"x_all": "x.all()"}),
    ],
)
def test_what_leaves(body: str, statements: list[str], flags: dict[str, str]) -> None:
    assert hoist(body) == (statements, flags)


@pytest.mark.parametrize(
    "body",
    [
        # The input is changed before, under whatever name.
        "x.add_(1)\n" + BRANCH,
        "x += 1\n" + BRANCH,
        "z = x.view(-1)\nz.add_(1)\n" + BRANCH,
        "for row in x:\n    row.zero_()\n" + BRANCH,
        "note(x)\n" + BRANCH,
        "unheard_of(x)\n" + BRANCH,
        "y.add_(1)\n" + BRANCH,  # two inputs may share memory
        "y[0] = 1\n" + BRANCH,
        "x = unheard_of(x)\n" + BRANCH,
        # What the condition binds is read in the graph.
        "if (k := x.sum()) > 0:\n    return y * k\nreturn y",
        "if n and (k := x.sum()) > 0:\n    return y * k\nreturn y",
        # Evaluated under a condition that cannot move, or not at all.
        "match n:\n    case 1:\n        y = y * x.item()\nreturn y",
        "with n:\n    y = y * x.item()\nreturn y",
        "for i in n:\n    y = y * x.item()\nreturn y",
        "try:\n    y = y * x.item()\nexcept ValueError:\n    pass\nreturn y",
        "z = torch.rand(3)\nif z.sum() > 0:\n    y = y * int(x.sum())\nreturn y",  # the int of NaN is an error
        "z = torch.rand(3)\nif z.sum() > 0:\n    y = y * x.item()\nreturn y",
        "z = torch.rand(3)\nif z.sum() > 0:\n    if x > 0:\n        y = y * 2\nreturn y",
        "z = torch.rand(3)\nif z.sum() > 0:\n    if (x == y).any():\n        y = y * 2\nreturn y",
        # A caller could tell that the exception comes first.
        "print('seen')\nk = x.item()\nreturn y * k",
        "y.add_(1)\nk = x.item()\nreturn y * k",
        # What it reads is not an input.
        "if CACHE.all():\n    return y\nreturn y * 2",
        "if torch.rand(3).sum() > 0:\n    return y\nreturn y * 2",
        "if F.dropout(x).sum() > 0:\n    return y\nreturn y * 2",
        "h = unheard_of(y)\nif h.sum() > 0:\n    return y\nreturn y * 2",
        "yield x.item()",
        "return locals(), x.item()",
    ],
)
def test_what_stays(body: str) -> None:
    assert hoist(body) == ([], {})


def test_a_name_that_is_bound_again_keeps_the_order() -> None:
    statements, flags = hoist("h = x.shape\nk = x.sum().item()\nh = y.sum().item()\nreturn y * k * h")
    assert statements == ["h = x.shape", "k = x.sum().item()", "h = y.sum().item()"]
    assert flags == {}


def test_a_delete_stays() -> None:
    assert hoist("if n:\n    del n\nreturn y")[0] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mask.all()", "mask_all"),
        ("not mask.any()", "not_mask_any"),
        ("x.mean() > 0.5", "x_mean_above_0_5"),
        ("x.sum() == -1", "x_sum_is_1"),
        ("mask.item()", "mask_value"),
        ("int(mask.sum())", "mask_sum"),
        ("mask.any() and x.all()", "mask_flag"),
        ("torch.isnan(x).any()", "x_isnan_any"),
    ],
)
def test_names_of_flags(text: str, name: str) -> None:
    facts = Facts(Source(f"import torch\ndef f(mask, x):\n    return {text}\n"))
    (node,) = [n.value for n in facts.names.nodes(ast.Return)]
    assert node is not None
    assert flag_name(node, facts) == name
