"""Where helpers, definitions and imports go when fixes are composed."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.model import Edit, Fix, Safety, Span
from refactor.transforms.smith import apply_edits, compose
from refactor.transforms.source import Source


def fix(*edits: Edit, **more: object) -> Fix:
    return Fix(edits, Safety.SAFE, "a fix", **more)  # type: ignore[arg-type]


def composed(text: str, *fixes: Fix) -> str:
    source = Source(text)
    return apply_edits(text, compose(source, fixes))


DEFINITION = "def _made():\n    return 1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(): ...\n", "def _made():\n    return 1\n\n\ndef f(): ...\n"),
        ("import torch\n\n\ndef f(): ...\n", "import torch\n\n\ndef _made():\n    return 1\n\n\ndef f(): ...\n"),
        ("import torch\ndef f(): ...\n", "import torch\n\n\ndef _made():\n    return 1\n\n\ndef f(): ...\n"),
        (
            "import torch\n\n\n# About f.\n@wrapped\ndef f(): ...\n",
            "import torch\n\n\ndef _made():\n    return 1\n\n\n# About f.\n@wrapped\ndef f(): ...\n",
        ),
        ("x = 1", "x = 1\n\n\ndef _made():\n    return 1\n"),
        ("if x:\n\tdef f(): ...\n", "def _made():\n\treturn 1\n\n\nif x:\n\tdef f(): ...\n"),
        (
            "x = 1\r\n\r\n\r\ndef f(): ...\r\n",
            "x = 1\r\n\r\n\r\ndef _made():\r\n    return 1\r\n\r\n\r\ndef f(): ...\r\n",
        ),
        ("f = lambda: 0\n", "f = lambda: 0\n\n\ndef _made():\n    return 1\n"),
    ],
)
def test_definitions(text: str, expected: str) -> None:
    assert composed(text, fix(definitions=(DEFINITION,))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n", "import torch\n\nx = 1\n"),
        ("import torch\nx = 1\n", "import torch\nx = 1\n"),
        ("import torch as th\nx = 1\n", "import torch as th\nx = 1\n"),
        ('"""Doc."""\nx = 1\n', '"""Doc."""\n\nimport torch\nx = 1\n'),
        (
            "from __future__ import annotations\n\nx = 1\n",
            "from __future__ import annotations\n\nimport torch\n\nx = 1\n",
        ),
        ("import numpy\nx = 1\n", "import numpy\nimport torch\nx = 1\n"),
        ("import zarr\nx = 1\n", "import torch\nimport zarr\nx = 1\n"),
        ("torch = None\n", "import torch as _torch\n\ntorch = None\n"),
        ("\ufeffx = 1\n", "\ufeffimport torch\n\nx = 1\n"),
        ("@wrapped\ndef f(): ...\n", "import torch\n\n@wrapped\ndef f(): ...\n"),
        ("import os", "import os\nimport torch\n"),
    ],
)
def test_imports(text: str, expected: str) -> None:
    assert composed(text, fix(imports=("torch",))) == expected


def test_what_two_fixes_need_is_put_once() -> None:
    text = "import torch\n\n\ndef f(x): ...\n"
    found = composed(
        text,
        fix(Edit(Span(19, 20), "g"), helpers=(("_where", "_where"),), definitions=(DEFINITION,)),
        fix(Edit(Span(21, 22), "y"), helpers=(("_where", "_where"),), definitions=(DEFINITION,)),
    )
    tree = ast.parse(found)
    assert [n.name for n in tree.body if isinstance(n, ast.FunctionDef)] == ["_where", "_made", "g"]
    assert found.endswith("\n\n\ndef g(y): ...\n")


def test_a_helper_that_is_there_stays_alone() -> None:
    once = composed("import torch\n\n\ndef f(x): ...\n", fix(helpers=(("_where", "_where"),)))
    assert composed(once, fix(helpers=(("_where", "_where"),))) == once


def test_new_helpers_stand_below_the_old_ones() -> None:
    once = composed("import torch\n\n\ndef f(x): ...\n", fix(helpers=(("_where", "_where"),)))
    twice = composed(once, fix(helpers=(("_where", "_where"), ("_cond", "_cond"))))
    tree = ast.parse(twice)
    assert [n.name for n in tree.body if isinstance(n, ast.FunctionDef)] == ["_where", "_cond", "f"]


def test_helpers_read_torch_by_the_name_that_the_file_gives_it() -> None:
    found = composed("import torch as th\n\n\ndef f(x): ...\n", fix(helpers=(("_where", "_where_2"),)))
    assert "def _where_2(" in found
    assert "th.where(" in found
    assert " torch." not in found.replace("`torch.", "")


def test_overlapping_edits_are_refused() -> None:
    source = Source("abcdef = 1\n")
    with pytest.raises(ValueError, match="overlap"):
        compose(source, [fix(Edit(Span(0, 3), "x")), fix(Edit(Span(2, 4), "y"))])


def test_facts_are_not_needed_twice() -> None:
    source = Source(textwrap.dedent("x = 1\n"))
    compose(source, [fix()])
    assert isinstance(getattr(source, "_facts", None), Facts)
