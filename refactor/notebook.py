"""Jupyter notebooks: their code cells as one source, and a rewrite of that source as a rewrite of the notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from .engine import Options, Rewrite, inspect, rewrite
from .errors import UserError
from .jsonspans import Node, parse
from .magics import Magics
from .passes import Applied, Left
from .passes import parse as parse_python
from .transforms.model import Finding, NoFix, Span

SUFFIX = ".ipynb"
# The blank lines keep what a rewrite puts above a definition inside of its cell.
_BOUNDARY = "# _refactor_cell_{}_\n\n\n"
_BOUNDARIES = re.compile(r"^# _refactor_cell_(\d+)_\n\n\n", re.MULTILINE)
_LINE_IN_WORDS = re.compile(r"\bline (\d+)\b")
_HEIGHT = _BOUNDARY.count("\n")
_NOT_RUN = "notebooks are not run, and only verified fixes are asked for"
_ENTANGLED = "the rewrite would reach across cells or touch a magic"

Item = TypeVar("Item", Applied, Left)


@dataclass(frozen=True)
class Cell:
    """A code cell: its number among all cells from 1, its Python, and where its source stands in the notebook.

    `line` is the line of the joined source that its own line 1 is, `start` the offset; `python` is its text with the
    magics set aside.
    """

    number: int
    text: str
    python: str
    node: Node | None
    line: int
    start: int


class Notebook:
    """The code cells of a notebook as one Python text.

    Args:
        cells: (number, source, where the source stands) of each code cell.
    """

    def __init__(self, cells: Sequence[tuple[int, str, Node | None]]) -> None:
        self._magics = Magics()
        self.cells: list[Cell] = []
        pieces: list[str] = []
        line, start = 1, 0
        for number, text, node in cells:
            python = self._magics.set_aside(text)
            head, body = _BOUNDARY.format(number), f"{python}\n"
            self.cells.append(Cell(number, text, python, node, line + _HEIGHT, start + len(head)))
            pieces += [head, body]
            line += _HEIGHT + body.count("\n")
            start += len(head) + len(body)
        self.source = "".join(pieces)

    def cell_at(self, line: int) -> Cell:
        """The cell that a line of the joined source belongs to."""
        return next((cell for cell in reversed(self.cells) if cell.line <= line), self.cells[0])

    def placed(self, finding: Finding) -> Finding:
        """A finding of the joined source, with its place in its cell."""
        cell = self.cell_at(finding.line)
        span = Span(finding.span.start - cell.start, finding.span.end - cell.start)
        up = cell.line - 1
        refusal = finding.refusal
        return replace(
            finding,
            cell=cell.number,
            line=finding.line - up,
            end_line=finding.end_line - up,
            span=span,
            plan=None,
            message=self.in_cells(finding.message),
            evidence=replace(finding.evidence, because=self.in_cells(finding.evidence.because)),
            refusal=refusal and NoFix(self.in_cells(refusal.reason), self.in_cells(refusal.remedy)),
        )

    def in_cells(self, text: str) -> str:
        """What a rule says in words, with the lines that it names counted in their cells."""

        def told(found: re.Match[str]) -> str:
            cell = self.cell_at(int(found[1]))
            return f"line {int(found[1]) - cell.line + 1} of cell {cell.number}"

        return _LINE_IN_WORDS.sub(told, text)

    def split(self, source: str) -> dict[int, str] | None:
        """The text of each cell in a rewritten source; None where it cannot be told apart or a magic was touched."""
        whole = self._magics.put_back(source)
        if whole is None:
            return None
        parts = _BOUNDARIES.split(whole)
        if parts[0] or [int(number) for number in parts[1::2]] != [cell.number for cell in self.cells]:
            return None
        texts = {int(number): text.removesuffix("\n") for number, text in zip(parts[1::2], parts[2::2], strict=True)}
        # A cell magic is one only as the first thing in its cell.
        moved = (cell for cell in self.cells if cell.text.lstrip().startswith("%%"))
        return texts if all(texts[cell.number].lstrip().startswith("%%") for cell in moved) else None


def read(text: str, name: str) -> Notebook:
    """The notebook in a JSON text; one of another language has no cells.

    Raises:
        UserError: it is no notebook.
    """
    try:
        node = parse(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise UserError(f"not valid JSON: {error.msg}", name, error.lineno) from None
    except RecursionError:
        raise UserError("nested too deeply to be read", name) from None
    cells = node.members.get("cells")
    if cells is None or not isinstance(cells.value, list):
        raise UserError("no notebook of format 4: it has no list of cells; convert it with `jupyter nbconvert`", name)
    found = enumerate(cells.items, 1) if _speaks_python(node.value) else ()
    return Notebook(
        [
            (number, _joined(cell.members["source"].value), _shifted(cell.members["source"], text))
            for number, cell in found
            if cell.members.get("cell_type", cell).value == "code" and "source" in cell.members
        ]
    )


def _shifted(node: Node, text: str) -> Node:
    """A node of the text without its byte order mark, in the text with it."""
    by = text.startswith("\ufeff")
    items = tuple(replace(item, start=item.start + by, end=item.end + by) for item in node.items)
    return replace(node, start=node.start + by, end=node.end + by, items=items)


def _joined(source: object) -> str:
    return source if isinstance(source, str) else "".join(map(str, source)) if isinstance(source, list) else ""


def _speaks_python(notebook: dict[str, object]) -> bool:
    metadata = notebook.get("metadata")
    told = [
        place.get(key)
        for key, place in (("language", _table(metadata, "kernelspec")), ("name", _table(metadata, "language_info")))
    ]
    return all(language in (None, "python", "ipython", "python3") for language in told)


def _table(value: object, key: str) -> dict[str, object]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def written(notebook: Notebook, text: str, cells: dict[int, str]) -> str:
    """The notebook's JSON with new cells; every byte outside of a changed source stays."""
    for cell in reversed(notebook.cells):
        if cell.node is not None and cells[cell.number] != cell.text:
            text = text[: cell.node.start] + _encoded(cell.node, cells[cell.number], text) + text[cell.node.end :]
    return text


def _encoded(node: Node, source: str, text: str) -> str:
    """A source as JSON, in the way that the old one was written: one string or a line each, and its white space."""
    escaped = text.isascii()
    if not isinstance(node.value, list):
        return json.dumps(source, ensure_ascii=escaped)
    old = {item.value: text[item.start : item.end] for item in node.items}
    lines = [old.get(line) or json.dumps(line, ensure_ascii=escaped) for line in source.splitlines(keepends=True)]
    if not node.items:
        return f"[{', '.join(lines)}]"
    head, tail = text[node.start : node.items[0].start], text[node.items[-1].end : node.end]
    between = f",{head[1:]}" if len(node.items) == 1 else text[node.items[0].end : node.items[1].start]
    return head + between.join(lines) + tail


def check(text: str, name: str, options: Options) -> tuple[list[Finding], dict[int, str]]:
    """The findings of a notebook, each in its cell, and the texts of the cells.

    Raises:
        UserError: it is no notebook, or a cell is no valid Python.
    """
    notebook = read(text, name)
    return findings(notebook, name, options), {cell.number: cell.text for cell in notebook.cells}


def findings(notebook: Notebook, name: str, options: Options) -> list[Finding]:
    """The findings of the cells.

    Raises:
        UserError: a cell is no valid Python.
    """
    if not notebook.cells:
        return []
    _parse_cells(notebook, name)
    _, found = inspect(notebook.source, name, options)
    return [notebook.placed(finding) for finding in found]


def _parse_cells(notebook: Notebook, name: str) -> None:
    """Each cell must be Python by itself, so that nothing reaches from one into the next."""
    for cell in notebook.cells:
        parse_python(cell.python, f"{name}:cell {cell.number}")


def apply(text: str, name: str, options: Options) -> tuple[Rewrite, dict[int, str]]:
    """The rewrite of a notebook on static facts, and the new texts of its cells. Its code is never run.

    Raises:
        UserError: it is no notebook, or a cell is no valid Python.
    """
    notebook = read(text, name)
    cells = {cell.number: cell.text for cell in notebook.cells}
    if not cells:
        return Rewrite(name, text, text), cells
    if options.verify == "require":
        return _untouched(notebook, text, name, options, _NOT_RUN), cells
    _parse_cells(notebook, name)
    result = rewrite(notebook.source, name, replace(options, verify="off"))
    after = notebook.split(result.new)
    if after is None:
        return _untouched(notebook, text, name, options, _ENTANGLED), cells
    new = Notebook([(cell.number, after[cell.number], None) for cell in notebook.cells])
    fixes = tuple((_moved(item, notebook, new), standing) for item, standing in result.fixes)
    left = tuple(_moved(item, notebook, new) for item in result.left)
    return Rewrite(name, text, written(notebook, text, after), fixes, left, None, result.notes), after


def _untouched(notebook: Notebook, text: str, name: str, options: Options, reason: str) -> Rewrite:
    found = findings(notebook, name, options)
    left = tuple(Left(item, reason, dropped=item.fixable, line=item.line) for item in found)
    return Rewrite(name, text, text, left=left)


def _moved(item: Item, old: Notebook, new: Notebook) -> Item:
    """A fix or a finding that stays, with the places in its cells."""
    cell = old.cell_at(item.line)
    moved = replace(item, finding=new.placed(item.finding), line=item.line - cell.line + 1)
    if isinstance(moved, Applied):
        height = moved.end_line - item.line
        moved = replace(moved, finding=replace(moved.finding, cell=cell.number), end_line=moved.line + height)
    else:
        moved = replace(moved, reason=new.in_cells(moved.reason), remedy=new.in_cells(moved.remedy))
    return moved
