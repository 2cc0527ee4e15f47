"""Text for a branch that decides what is stored: one store of a chosen value."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ..facts.stores import Side, Stored
from .bench import Bench, joined


def one_store(stored: Stored, predicate: str, bench: Bench, margin: str, opens: bool) -> str:
    """The statements that stand for the branch, rendered for this indentation; `opens`: they begin a block."""
    own = [f"{stored.owner}.{n}" for n in stored.names]
    made: list[cst.FunctionDef] = []
    if stored.kind == "copy" and not (stored.true.values and stored.false.values):
        given = _function(stored.true, stored, "value", bench, made)
        call = bench.layout("", f"{bench.helper('_copy_if')}({predicate}, {own[0]}, {given})", margin)
    else:
        arms = [
            _function(side, stored, base, bench, made)
            for side, base in ((stored.true, "when_true"), (stored.false, "when_false"))
        ]
        chosen = f"{bench.helper('_select')}({predicate}, {arms[0]}, {arms[1]})"
        if stored.kind == "attribute":
            call = bench.layout(f"{joined(own)} = ", chosen, margin)
        else:
            call = bench.layout("", _called(stored, chosen, bench), margin)
    newline = bench.source.newline
    defined = [bench.render([d], margin) + newline for d in made]
    if defined and not opens:
        defined[0] = newline + defined[0]
    return newline.join([*defined, margin + call])


def _called(stored: Stored, chosen: str, bench: Bench) -> str:
    """The `register_buffer` or `copy_` of the chosen value."""
    assert stored.call is not None
    head = bench.source.code(stored.call.func)
    before = [bench.text(a) for a in stored.call.args[:-1]]
    after = [f"{k.arg}={bench.text(k.value)}" if k.arg else f"**{bench.text(k.value)}" for k in stored.call.keywords]
    return f"{head}({joined([*before, chosen, *after])})"


def _function(side: Side, stored: Stored, base: str, bench: Bench, made: list[cst.FunctionDef]) -> str:
    """A lambda that gives the arm's values, or the name of a local function where it takes statements."""
    values = [bench.text(side.values[n]) if n in side.values else f"{stored.owner}.{n}" for n in stored.names]
    if not side.prepared:
        return f"lambda: {_tuple(values)}"
    name = bench.fresh(base)
    body = bench.statements(side.prepared)
    above = [cst.EmptyLine(comment=cst.Comment(c)) for c in bench.comments_above(side.prepared[0])]
    body[0] = body[0].with_changes(leading_lines=above)
    last = cst.parse_statement(f"return {joined(values)}")
    function = cst.parse_statement(f"def {name}():\n    pass")
    assert isinstance(function, cst.FunctionDef)
    made.append(function.with_changes(body=cst.IndentedBlock(body=[*body, last])))
    return name


def _tuple(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({joined(parts)})"
