"""Notebooks: cells as one source, magics left alone, and every byte outside of a changed source as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from refactor.engine import Options, inspect
from refactor.errors import UserError
from refactor.jsonspans import parse
from refactor.magics import Magics
from refactor.notebook import apply, check, read

NOTEBOOK = """\
{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# bad()"]},
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [{"text": ["bad()  \\u00e9 é"]}],
   "source": [
    "%matplotlib inline\\n",
    "x = bad()\\n",
    "!ls \\\\\\n",
    "  -l\\n",
    "s = '\\u00e9é'; risky()"
   ]
  },
  {"cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":"%%bash\\nbad()"},
  {"cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":"stuck()\\nbad()\\n"},
  {"cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":[]}
 ],
 "metadata": {"kernelspec": {"language": "python"}},
 "nbformat": 4, "nbformat_minor": 5
}
"""


def notebook(*sources: str | list[str], **metadata: object) -> str:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


class TestCommands:
    def test_findings_are_placed_in_their_cells(self, invoke):
        Path("n.ipynb").write_text(NOTEBOOK, "utf-8")
        result = invoke("check", "--output-format", "concise")
        assert result.stdout == snapshot("""\
n.ipynb:cell 2:2:5: TR101 [*] `bad` is called
n.ipynb:cell 2:5:11: TR103 [!] `risky` is called
n.ipynb:cell 4:1:1: TR201 `stuck` is called (nothing fits; write it by hand)
n.ipynb:cell 4:2:1: TR101 [*] `bad` is called
Found 4 findings in 1 file (2 fixable with `refactor apply`, 1 more with `--unsafe-fixes` or when verified).
""")
        assert "5 | s = 'éé'; risky()\n  |           ^^^^^^^\n" in invoke("check").stdout

    def test_bytes_outside_of_changed_sources_stay(self, invoke):
        path = Path("n.ipynb")
        path.write_bytes(NOTEBOOK.replace("\n", "\r\n").encode())
        result = invoke("apply", "n.ipynb", "--show-fixes")
        expected = NOTEBOOK.replace('"x = bad()\\n"', '"x = good()\\n"').replace("stuck()\\nbad()", "stuck()\\ngood()")
        assert path.read_bytes() == expected.replace("\n", "\r\n").encode()
        assert result.stdout == snapshot("""\
TR103 [!] `risky` is called
 --> n.ipynb:cell 2:5:11
  |
5 | s = 'éé'; risky()
  |           ^^^^^^^
  = why: it is called so (proved)
  = no fix: the fix changes something a caller can see, or rests on an assumption
  = help: allow it with --unsafe-fixes, or name a --factory and --inputs to verify it

TR201 `stuck` is called
 --> n.ipynb:cell 4:1:1
  |
1 | stuck()
  | ^^^^^^^
  = why: it is called so (proved)
  = no fix: nothing fits
  = help: write it by hand

2 changes in n.ipynb:
  cell 2, 2: TR101 call `good` (not run, safe)
  cell 4, 2: TR101 call `good` (not run, safe)
Not verified: 1 file (nothing was run; name a --factory and --inputs to verify).
Rewrote 1 file of 1 (2 x TR101). 2 findings left.
""")

    def test_standard_input(self, invoke):
        result = invoke("apply", "-", "--stdin-filename", "n.ipynb", input=notebook("bad()"))
        assert result.stdout == notebook("good()")

    def test_a_notebook_is_not_run(self, invoke):
        Path("n.ipynb").write_text(notebook("bad()"))
        result = invoke("apply", "--verify", "require")
        assert (result.exit_code, Path("n.ipynb").read_text()) == (1, notebook("bad()"))
        assert "notebooks are not run, and only verified fixes are asked for" in result.stdout

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{", "n.ipynb:1: not valid JSON: Expecting property name enclosed in double quotes"),
            ('{"worksheets": []}', "n.ipynb: no notebook of format 4: it has no list of cells"),
            ("[]", "n.ipynb: no notebook of format 4: it has no list of cells"),
            (notebook("x = 1", "y = 1\n(\n"), "n.ipynb:cell 2:2: not valid Python 3"),
            (notebook("x = '''", "y = '''"), "n.ipynb:cell 1:1: not valid Python 3"),
        ],
    )
    def test_what_is_no_notebook_is_one_line(self, invoke, text, message):
        Path("n.ipynb").write_text(text)
        result = invoke("check")
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {message}")
        assert result.stderr.count("\n") == 1

    def test_another_language_has_no_cells(self, invoke):
        Path("n.ipynb").write_text(notebook("x <- bad(", kernelspec={"language": "R"}))
        assert invoke("check").exit_code == 0


class TestRealRules:
    MODEL = "class Gate(nn.Module):\n    def forward(self, x):\n        y = x.relu()\n        if y.sum() > 0:\n"

    def test_helpers_stand_in_the_cell_of_the_definition(self):
        from refactor.commands import codes

        options = Options(select=frozenset(codes()), verify="off")
        text = notebook(
            "%load_ext a\nimport torch\nfrom torch import nn", f"{self.MODEL}            y = y * 2\n        return y"
        )
        result, cells = apply(text, "n.ipynb", options)
        assert cells[1] == "%load_ext a\nimport torch\nfrom torch import nn"
        assert cells[2].startswith("def _where(")
        assert "y = _where(y.sum() > 0, lambda y: y * 2, lambda y: y, (y,))\n        return y" in cells[2]
        assert json.loads(result.new)["cells"][1]["source"] == cells[2]
        again, _ = apply(result.new, "n.ipynb", options)
        assert again.new == result.new

    def test_a_cell_magic_stays_first(self):
        from refactor.commands import codes

        body = f"%%time\nimport torch\n{self.MODEL}            y = y * 2\n        return y"
        text = notebook(body.replace("nn.Module", "torch.nn.Module"))
        result, _ = apply(text, "n.ipynb", Options(select=frozenset(codes()), verify="off"))
        assert json.loads(result.new)["cells"][0]["source"].startswith("%%time\nimport torch\n\n\ndef _where(")
        found = read(text, "n")
        assert found.split(found.source.replace("_refactor_magic_0_()", "import a\n_refactor_magic_0_()")) is None

    def test_lines_in_words_are_those_of_the_cells(self):
        from refactor.commands import codes

        text = notebook("import torch\nfrom torch import nn", f"{self.MODEL}            y = y * 2\n        return y")
        (finding,) = check(text, "n.ipynb", Options(select=frozenset(codes())))[0]
        assert finding.evidence.because == "`x.relu(…)` on line 3 of cell 2"


class TestMagics:
    @pytest.mark.parametrize(
        ("cell", "python"),
        [
            ("%time x\nx = 1", "_refactor_magic_0_()\nx = 1"),
            ("if x:\n    !ls", "if x:\n    _refactor_magic_0_()"),
            ("files = !ls\nx = %time y", "files = _refactor_magic_0_()\nx = _refactor_magic_1_()"),
            ("torch.nn?\n??x", "_refactor_magic_0_()\n_refactor_magic_1_()"),
            ("%run a.py", "from _refactor_magic_0_ import *"),
            ("!a \\\n  b\nx", "_refactor_magic_0_()\n\nx"),
            ("%%time\nx = 1", "_refactor_magic_0_()\nx = 1"),
            ("%%html\n<a>\n", "_refactor_magic_0_()\n\n"),
            ("%%cython\ndef f(): pass", "from _refactor_magic_0_ import *\n"),
        ],
    )
    def test_set_aside_and_put_back(self, cell, python):
        magics = Magics()
        assert magics.set_aside(cell) == python
        assert magics.put_back(python) == cell

    @pytest.mark.parametrize(
        "cell",
        [
            "x = '''\n%time\n!ls\n'''",
            "x = (a\n% b\n)",
            "x = a \\\n% b",
            "x = 1  # what?",
            "x = 'what?'",
            "x %= 3",
            "x = y != z",
            "x = {'a': 1,\n'b': '''\n''',\n}['a']\n% x" * 0 + "f('(', \"'\")",
        ],
    )
    def test_python_is_left_alone(self, cell):
        assert Magics().set_aside(cell) == cell

    def test_a_lost_or_repeated_magic_is_noticed(self):
        magics = Magics()
        magics.set_aside("%a\n%b")
        assert magics.put_back("_refactor_magic_0_()") is None
        assert magics.put_back("_refactor_magic_1_()\n_refactor_magic_0_()") is None
        assert magics.put_back("_refactor_magic_0_()\n_refactor_magic_1_()\n_refactor_magic_1_()") is None


class TestBoundaries:
    def test_a_rewrite_across_cells_is_refused(self, smith, everything):
        found = read(notebook("x = 1", "y = 2"), "n")
        assert found.split(found.source) == {1: "x = 1", 2: "y = 2"}
        assert found.split(found.source.replace("# _refactor_cell_2_\n", "")) is None
        assert found.split(f"z\n{found.source}") is None

    def test_offsets_are_those_of_the_cell(self, smith, everything):
        found = read(notebook("x = 1", "\n  \ny = bad()"), "n")
        (finding,) = inspect(found.source, "n", everything, smith)[1]
        placed = found.placed(finding)
        assert (placed.cell, placed.line, placed.column, placed.span.start) == (2, 3, 4, 8)


def test_spans_of_json():
    text = ' {"a" : [1, "x\\"]" , {}], "b": {"c": true}, "d": [ ] } '
    node = parse(text)
    assert node.value == {"a": [1, 'x"]', {}], "b": {"c": True}, "d": []}
    assert [text[item.start : item.end] for item in node.members["a"].items] == ["1", '"x\\"]"', "{}"]
    assert text[node.members["b"].start : node.members["b"].end] == '{"c": true}'
    assert text[node.members["d"].start : node.members["d"].end] == "[ ]"
    with pytest.raises(ValueError, match="Expecting"):
        parse("{,}")


def test_the_error_of_a_deep_notebook():
    with pytest.raises(UserError, match="nested too deeply"):
        read("[" * 100_000, "n")
