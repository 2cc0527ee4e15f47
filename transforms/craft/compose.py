"""Composing the fixes of one pass: their edits, and the helpers, definitions and imports that they need, put once."""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Container, Iterable, Mapping, Sequence

from ..facts import Facts
from ..model import Edit, Fix, Span
from ..source import Source
from .helpers import HELPERS, render


def compose(source: Source, facts: Facts, fixes: Sequence[Fix]) -> tuple[Edit, ...]:
    """All edits of the fixes, sorted and disjoint.

    Raises:
        ValueError: edits of two fixes overlap.
    """
    edits = sorted({e for f in fixes for e in f.edits})
    for a, b in itertools.pairwise(edits):
        if a.span.overlaps(b.span):
            raise ValueError(f"edits overlap at {a.span} and {b.span}")
    wanted = {base: name for f in fixes for base, name in f.helpers if name not in facts.names.walk.module.sites}
    definitions = list(dict.fromkeys(d for f in fixes for d in f.definitions))
    needs = [m for base in wanted for m in HELPERS[base].imports] + [m for f in fixes for m in f.imports]
    modules = module_names(facts, sorted(set(needs)))
    blocks = [render(base, wanted[base], modules) for base in HELPERS if base in wanted] + definitions
    above: list[Edit] = []
    if blocks:
        carried = {name for f in fixes for _, name in f.helpers} - set(wanted.values())
        above.append(
            _put_below(source, blocks, carried) or _put_blocks(source, blocks, _imports_end(source, facts, modules))
        )
    missing = [m for m in modules if imported(facts, m) is None]
    if missing:
        above += [
            _put_imports(source, [f"import {m}" if modules[m] == m else f"import {m} as {modules[m]}"]) for m in missing
        ]
    # Where a fix inserts at the place of the blocks (a decorator, say), its text belongs to what stands below them.
    return tuple(_merge_insertions(sorted(sorted(above) + edits, key=lambda e: e.span)))


def _merge_insertions(edits: list[Edit]) -> Iterable[Edit]:
    """Insertions at one point become one edit, in order."""
    merged: list[Edit] = []
    for edit in edits:
        if merged and merged[-1].span == edit.span and edit.span.start == edit.span.end:
            merged[-1] = Edit(edit.span, merged[-1].text + edit.text)
        else:
            merged.append(edit)
    return merged


def module_names(facts: Facts, modules: Iterable[str]) -> dict[str, str]:
    """The name by which module-level code of the file reaches each module; a fresh one where it is not imported."""
    return {m: imported(facts, m) or (m if m not in facts.names.walk.module.sites else f"_{m}") for m in modules}


def imported(facts: Facts, module: str) -> str | None:
    """The module-level name that means the module everywhere in the file, else None."""
    sites = facts.names.walk.module.sites
    for name in (module, *sites):
        if name in sites and facts.names.resolve(name, facts.source.tree.body[-1]) == module:
            return name
    return None


def _imports_end(source: Source, facts: Facts, modules: Mapping[str, str]) -> int:
    """The last line of the file's own imports of the modules, 0 where there are none."""
    sites = facts.names.walk.module.sites
    lines = [facts.names.statement_of(site.node) for name in modules.values() for site in sites.get(name, ())]
    return max((s.end_lineno or 0 for s in lines if s in source.tree.body), default=0)


def _put_below(source: Source, blocks: Sequence[str], carried: Container[str]) -> Edit | None:
    """Insert definitions below the helpers that the file has and what they decorate; None where it has none of them."""
    below = 0
    for s in source.tree.body:
        if isinstance(s, ast.FunctionDef) and (
            s.name in carried or any(isinstance(d, ast.Name) and d.id in carried for d in s.decorator_list)
        ):
            below = s.end_lineno or 0
    if not below:
        return None
    newline = source.newline
    text = "".join(f"{newline}{newline}{_local(b, source)}{newline}" for b in blocks)
    at = source.line_start(below + 1)
    return Edit(Span(at, at), text if source.text[:at].endswith(("\n", "\r")) else newline + text)


def _put_blocks(source: Source, blocks: Sequence[str], imports_end: int = 0) -> Edit:
    """Insert function definitions above the first one below the imports that they need, two blank lines between all."""
    newline = source.newline
    body = source.tree.body
    defining = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    anchor = next(
        (s for s in body if s.lineno > imports_end and any(isinstance(n, defining) for n in ast.walk(s))), None
    )
    text = "".join(f"{_local(b, source)}{newline}{newline}{newline}" for b in blocks)
    if anchor is None:
        at = len(source.text)
        lead = "" if source.text.endswith(("\n", "\r")) else newline
        return Edit(Span(at, at), lead + newline * 2 + text.rstrip("\r\n") + newline)
    row = min([anchor.lineno, *(d.lineno for d in getattr(anchor, "decorator_list", []))])
    previous = max((s.end_lineno or 0 for s in body if s is not anchor and s.lineno < row), default=0)
    while row - 1 > previous and source.line(row - 1).lstrip().startswith("#"):
        row -= 1  # the comment above a definition belongs to it
    at = source.line_start(row)
    blank = 0
    while row - 1 - blank > previous and not source.line(row - 1 - blank).strip():
        blank += 1
    lead = newline * max(0, 2 - blank) if previous else ""
    return Edit(Span(at, at), lead + text)


def _standard(statement: ast.stmt) -> bool:
    """True for an import from the standard library."""
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").partition(".")[0] in sys.stdlib_module_names and not statement.level
    return isinstance(statement, ast.Import) and statement.names[0].name.partition(".")[0] in sys.stdlib_module_names


def _local(block: str, source: Source) -> str:
    """A block written with four spaces, in the file's indentation and line ends."""
    out = []
    for line in re.split(r"\r\n|\r|\n", block.rstrip("\r\n")):
        stripped = line.lstrip(" ")
        steps, rest = divmod(len(line) - len(stripped), 4)
        out.append(source.indent * steps + " " * rest + stripped)
    return source.newline.join(out)


def _put_imports(source: Source, imports: Sequence[str]) -> Edit:
    """Insert imports above the first import that is not of `__future__`, else below docstring and `__future__`."""
    newline = source.newline
    body = source.tree.body
    after = 0
    for i, statement in enumerate(body):
        docstring = (
            i == 0
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (docstring or future):
            break
        after = i + 1
    text = "".join(f"{line}{newline}" for line in imports)
    block = list(itertools.takewhile(lambda s: isinstance(s, (ast.Import, ast.ImportFrom)), body[after:]))
    if block:
        # As isort would: `import x` of the standard library stands first, in alphabetical order, then a blank line.
        name = imports[0].split()[1]
        standard = name in sys.stdlib_module_names
        group = [
            s
            for s in block
            if isinstance(s, ast.Import) and (s.names[0].name.partition(".")[0] in sys.stdlib_module_names) == standard
        ]
        later = next((s for s in group if s.names[0].name > name), None)
        if group:
            row = later.lineno if later else (group[-1].end_lineno or 1) + 1
        else:
            row = block[0].lineno if standard else (block[-1].end_lineno or 1) + 1
            text = text + newline if standard and not any(_standard(s) for s in block) else text
        at = source.line_start(row)
        lead = newline if at == len(source.text) and not source.text.endswith(("\n", "\r")) else ""
        return Edit(Span(at, at), lead + text)
    if after:
        at = source.line_start((body[after - 1].end_lineno or 1) + 1)
        lead = newline if source.text[:at].endswith(("\n", "\r")) else newline * 2
        return Edit(Span(at, at), lead + text)
    row = body[0].lineno if body else 1
    row = min([row, *(d.lineno for d in getattr(body[0], "decorator_list", []))]) if body else 1
    at = source.line_start(row)
    return Edit(Span(at, at), text + newline)
