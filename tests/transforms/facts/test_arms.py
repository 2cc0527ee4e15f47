"""Which branches a graph may hold, and why others stay in Python."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.arms import Branch, choose, study
from refactor.transforms.model import NoFix
from refactor.transforms.source import Source

HEADER = "import torch\nimport torch.nn.functional as F\n\n\ndef note(v): v.add_(1)\n\n\n"
PARAMETERS = "x: torch.Tensor, y: torch.Tensor, n"


def branch(body: str) -> Branch | NoFix:
    text = HEADER + f"def f({PARAMETERS}):\n    h = x.softmax(-1)\n" + textwrap.indent(textwrap.dedent(body), "    ")
    facts = Facts(Source(text))
    choices = facts.names.nodes(ast.IfExp)
    return (
        choose(choices[0], facts)
        if choices
        else study(next(n for n in facts.names.nodes(ast.If) if ast.unparse(n.test) == "x.any()"), facts)
    )


@pytest.mark.parametrize(
    ("body", "outputs", "operands", "elementwise"),
    [
        ("if x.any():\n    h = h * 2\nreturn h", ("h",), ("h",), True),
        ("if x.any():\n    h = h * 2\nelse:\n    h = h + 1\nreturn h", ("h",), ("h",), True),
        ("if x.any():\n    return h * 2\nreturn h", (), ("h",), True),
        ("if x.any():\n    return h.sum()\nreturn h.mean()", (), ("h",), False),
        ("if x.any():\n    g = h * 2\n    h = g + h\nreturn h", ("h",), ("h",), True),
        ("if x.any():\n    h = h.clone()\n    h += 1\nreturn h", ("h",), ("h",), True),
        ("h = h * 2 if x.any() else h\nreturn h", (), ("h",), True),
        ("a, b = h, h * 2\nif x.any():\n    a, b = b, a\nreturn a, b", ("a", "b"), ("a", "b"), False),
    ],
)
def test_held(body: str, outputs: tuple[str, ...], operands: tuple[str, ...], elementwise: bool) -> None:
    found = branch(body)
    assert isinstance(found, Branch), found
    assert (found.outputs, found.operands, found.elementwise) == (outputs, operands, elementwise)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if x.any():\n    h += 1\nreturn h", "an arm changes `h` in place"),
        ("if x.any():\n    x += 1\nreturn x", "an arm changes `x` in place"),
        ("if x.any():\n    x = x.view(-1)\n    x += 1\nreturn x", "an arm changes `x` in place"),
        ("if x.any():\n    h = F.relu(h, True)\nreturn h", "an arm changes `h` in place"),
        ("if x.any():\n    y[0] = 1\nreturn y", "an arm changes `y` in place"),
        ("if x.any():\n    note(y)\nreturn y", "an arm changes `y` in place"),
        ("if x.any():\n    h = note2(h)\nreturn h", "an arm calls `note2`, of which nothing is known"),
        ("if x.any():\n    n.a = h\nreturn h", "an arm assigns `n.a`"),
        ("if x.any():\n    print(h)\n    h = h * 2\nreturn h", "an arm calls `print`"),
        ("if x.any():\n    h = h * h.sum().item()\nreturn h", "an arm reads a tensor on the host (line 11)"),
        ("if x.any():\n    h = h[h > 0]\nreturn h", "an arm cannot be captured: indexing by a mask on line 11 has a"),
        ("if x.any():\n    raise ValueError\nreturn h", "an arm raises"),
        ("if x.any():\n    h = h.sum()\nreturn h", "`h`: the arms are not known to give the same shape"),
        ("if x.any():\n    h = h.long()\nreturn h", "`h`: the arms are not known to give the same dtype"),
        ("if x.any():\n    h = None\nreturn h", "`h`: one arm gives a none value"),
        ("if x.any():\n    h = 1\nreturn h", "`h`: one arm gives a host value"),
        ("if x.any():\n    h = n and h\nreturn h", "`h` may be the argument"),
        ("if x.any():\n    g = h\nreturn g", "`g` is bound in one arm only"),
        ("if x.any():\n    g = h", "nothing that the arms compute is used later"),
        ("for i in n:\n    if x.any():\n        h = h * 2\n        break\nreturn h", "an arm"),
        ("for i in n:\n    if x.any():\n        return h\nreturn h", "it returns from within another block"),
        ("if x.any():\n    return h, h\nreturn h", "the result: "),
        ("if x.any():\n    return\nreturn h", "an arm returns None"),
        ("if x.any():\n    if n:\n        return h\n    h = h * 2\nreturn h", "an arm returns on some of its paths"),
        ("if n:\n    z = h\nif x.any():\n    z = z * 2\n    h = z\nreturn h", "an arm reads `z`, which may be unbound"),
        ("if x.any():\n    with n:\n        h = h * 2\nreturn h", "an arm cannot be captured: it holds a `with`"),
        ("if x.any():\n    h = h + len(super().names)\nreturn h", "an arm reads `super()`, which belongs to"),
        ("if x.any():\n    h = h * len(vars())\nreturn h", "an arm reads `vars()`, which belongs to the frame"),
        ("h = (g := h * 2) if x.any() else h\nreturn h", "a side binds a name"),
        ("k = [h * 2 if v.any() else h for v in x]\nreturn k", "it stands in a lambda or a comprehension"),
    ],
)
def test_refused(body: str, reason: str) -> None:
    found = branch(body)
    assert isinstance(found, NoFix), found
    assert found.reason.startswith(reason)


def test_a_name_that_may_be_unbound_is_read_where_the_arm_runs() -> None:
    found = branch("if n:\n    z = h\nif x.any():\n    h = z * 2\nreturn h")
    assert isinstance(found, Branch), found
    assert found.operands == ("h",)
