"""Text of an entry that drives its loops from Python, and of the functions that it calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import libcst as cst

from ..facts.driving import Driver
from ..facts.pieces import Piece
from ..facts.regions import COMPILE
from ..model import Edit, NoFix, Span
from .bench import Bench, Statement, UnplaceableError, joined
from .helpers import ALONE
from .loop import function_of, put, replaced

_WHY = {
    "loop": "A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.",
    "unrolled": "Unrolled, its loop would be compiled for each length: it runs in Python, and its parts are compiled.",
    "host": "Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.",
    "whole": "Dynamo can hold nothing of this function: it runs in Python.",
}


def drive(plan: Driver, bench: Bench) -> list[Edit] | NoFix:
    """The edits: the marks above the entry, a call in the place of each piece, and the new functions."""
    made: list[cst.FunctionDef] = []
    calls = piece_calls(plan, made, bench)
    return calls if isinstance(calls, NoFix) else [*calls, *marked(plan, made, bench)]


def piece_calls(plan: Driver, made: list[cst.FunctionDef], bench: Bench) -> list[Edit] | NoFix:
    """A call in the place of each piece; the functions are added to `made`."""
    edits: list[Edit] = []
    for i, piece in enumerate(plan.pieces):
        if piece.statements and not bench.alone(piece.statements):
            return NoFix("several statements share a line in it")
        name = bench.named(piece.base, (plan.function, plan.reason, i))
        given = _names(piece, bench)
        made.append(_function(plan, piece, name, given, bench))
        edits.append(_call(plan, piece, name, given, made, bench))
    return edits


def marked(plan: Driver, made: list[cst.FunctionDef], bench: Bench) -> list[Edit]:
    """The marks above the entry, and the new functions beside it."""
    marks = _marks(plan, bench)
    if not made:
        return [marks]
    above = put(plan, made, bench)
    return [Edit(above.span, above.text + marks.text)] if above.span == marks.span else [marks, above]


def _names(piece: Piece, bench: Bench) -> dict[str, str]:
    """The parameter for each expression that the caller computes, by its text."""
    names: dict[str, str] = {}
    for expression, base in piece.given:
        text = bench.source.code(expression)
        if text not in names:
            names[text] = bench.fresh(base)
    return names


def _marks(plan: Driver, bench: Bench) -> Edit:
    """Leave the entry itself out of the graph, and not what it calls."""
    function, source = plan.function, bench.source
    margin, newline = source.margin(function), source.newline
    torch, why = bench.torch(function), f"# {_WHY[plan.reason]}"
    inner = f"@{torch}.{ALONE}"
    if not plan.decorated:
        row = source.line_start(function.lineno)
        return Edit(Span(row, row), f"{margin}{why}{newline}{margin}{inner}{newline}")
    first, row = min(d.lineno for d in function.decorator_list), source.line_start(function.lineno)
    compiled = any(
        bench.facts.names.qualified(d.func if isinstance(d, ast.Call) else d) in COMPILE
        for d in function.decorator_list
    )
    above = source.text[source.line_start(first) : row]
    # What other decorators return shares its code with others, which may not be marked.
    public = f"@{torch}.compiler.disable(recursive=False)"
    outer = "" if compiled or not plan.module else f"{margin}{public}{newline}"
    text = f"{margin}{why}{newline}{outer}{above}{margin}{inner}{newline}"
    return Edit(Span(source.line_start(first), row), text)


def _function(plan: Driver, piece: Piece, name: str, given: Mapping[str, str], bench: Bench) -> cst.FunctionDef:
    taken = Piece(name, piece.statements, piece.value, (*piece.parameters, *given.values()), piece.results)
    body: list[Statement] = []
    if piece.value is not None:
        body += _with_given(given, [bench.parse(f"return {bench.text(piece.value)}\n")])
    else:
        body += _with_given(given, bench.statements(piece.statements))
        body[0] = body[0].with_changes(leading_lines=())
        if piece.results:
            body = _returning(body, piece, bench)
    return function_of(plan, taken, name, body, bench)


def _returning(body: list[Statement], piece: Piece, bench: Bench) -> list[Statement]:
    """The statements with a return behind them; what the last one assigns is returned at once where nothing else is."""
    last = body[-1]
    if isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Assign):
        assign = last.body[-1]
        target = assign.targets[0].target
        if len(assign.targets) == 1 and isinstance(target, cst.Name) and [target.value] == list(piece.results):
            return [*body[:-1], last.with_changes(body=[*last.body[:-1], cst.Return(assign.value)])]
    return [*body, bench.parse(f"return {joined(piece.results)}\n")]


def _with_given(given: Mapping[str, str], made: list[Statement]) -> list[Statement]:
    """The statements, with a name in the place of each expression that the caller computes."""
    for text, name in given.items():
        picked = _Given(text, name)
        made = [picked.apply(s) for s in made]
        if not picked.met:
            raise UnplaceableError(f"`{text}` is not found in it")
    return made


class _Given(cst.CSTTransformer):
    """Replaces an expression, known by its text, by a name."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self.text = text
        self.name = name
        self.met = False

    def apply(self, statement: Statement) -> Statement:
        """The statement with the expression replaced."""
        done = statement.visit(self)
        assert isinstance(done, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        return done

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        bare = original_node.with_changes(lpar=(), rpar=())
        if cst.Module([]).code_for_node(bare) != self.text:
            return updated_node
        self.met = True
        return cst.Name(self.name, lpar=original_node.lpar, rpar=original_node.rpar)


def _call(
    plan: Driver, piece: Piece, name: str, given: Mapping[str, str], made: list[cst.FunctionDef], bench: Bench
) -> Edit:
    places = {bench.source.code(e): e for e, _ in piece.given}
    arguments = [*piece.parameters, *(bench.text(places[text]) for text in given)]
    call = f"{plan.owner + '.' if plan.owner else ''}{name}({joined(arguments)})"
    if piece.value is not None:
        return bench.swap(piece.value, call)
    margin = bench.margin(piece.statements[0])
    head = "return " if isinstance(piece.statements[-1], ast.Return) else ""
    head = f"{joined(piece.results)} = " if piece.results else head
    return replaced(piece.statements, margin + bench.layout(head, call, margin), made, bench)
