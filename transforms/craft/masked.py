"""Text for updates by a mask and reductions over what it selects, as calls of helpers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..facts.alternatives import Alternative, alternative
from ..facts.losses import Loss
from ..facts.masks import Picked, Reduction, Update
from ..facts.selections import Selection
from ..model import Condition, Edit, Fix, NoFix, Safety, Span
from .bench import Bench, comments, joined


def update_fix(update: Update, bench: Bench) -> Fix | NoFix:
    """The fix that makes an update by a mask one call."""
    selection, margin = update.selection, bench.margin(update.node)
    if not all(bench.alone([s]) for s in [update.node, *selection.gone]):
        return NoFix("it shares its line with another statement")
    body = _body(selection, bench)
    if update.method is not None:
        body = f"{selection.operands[0][0]}.{update.method}({body})"
    before, function = _function(selection, body, bench, margin)
    helper = bench.helper("_row_update" if selection.rows else "_masked_update")
    given = joined([bench.text(e) for _, e in selection.operands])
    call = f"{helper}({bench.text(update.target.value)}, {bench.text(update.mask)}, {function}, {given})"
    text = before + margin + bench.layout("", call, margin) + _trailing(update.node, bench)
    edits = (bench.replace([update.node], text), *(_removed(s, bench) for s in selection.gone))
    return Fix(edits=edits, safety=Safety.SAFE, summary="update what is selected inside the graph")


def _trailing(statement: ast.stmt, bench: Bench) -> str:
    """The comment behind a statement of one line, with what is between them."""
    end = bench.source.span(statement).end
    row, _ = bench.source.position(end)
    rest = bench.source.text[end : bench.source.line_end(row)]
    return rest.rstrip() if rest.lstrip().startswith("#") and statement.lineno == row else ""


def reduction_fix(reduction: Reduction, bench: Bench, changes: tuple[str, ...]) -> Fix | NoFix:
    """The fix that makes a reduction over a selection one call."""
    selection, statement = reduction.selection, reduction.statement
    if not all(bench.alone([s]) for s in selection.gone) or (selection.lifted and bench.is_elif(statement)):
        return NoFix("it shares its line with another statement")
    before, call = _reduced(reduction, bench.text(reduction.mask), bench)
    edits = [bench.swap(reduction.node, call), *(_removed(s, bench) for s in selection.gone)]
    if before:
        edits.append(bench.insert_before(statement, before.removesuffix(bench.source.newline)))
    return Fix(tuple(edits), _safety(changes), "reduce what is selected inside the graph", changes=changes)


def loss_fix(loss: Loss, bench: Bench) -> Fix | NoFix:
    """The fix that makes a loss of a selection one call."""
    if not all(bench.alone([s]) for s in loss.gone):
        return NoFix("it shares its line with another statement")
    given = joined([bench.text(x) for x in (loss.node.func, loss.mask, *loss.operands)])
    edits = [bench.swap(loss.node, f"{bench.helper('_masked_cross_entropy')}({given})")]
    edits += [_removed(s, bench) for s in loss.gone]
    return Fix(tuple(edits), Safety.SAFE, "compute the loss of what is selected inside the graph")


def picked_fix(picked: Picked, bench: Bench) -> Fix | NoFix:
    """The fix that keeps a selection which is only reduced, or asked whether it is empty, a mask."""
    node, edits = picked.node, []
    if not bench.alone([node]) or any(r.selection.lifted for r in picked.reductions):
        return NoFix("it shares its line with another statement")
    target = node.targets[0]
    assert isinstance(target, ast.Name)
    mask = picked.mask.id if isinstance(picked.mask, ast.Name) else bench.fresh(f"{target.id}_mask")
    if isinstance(picked.mask, ast.Name):
        edits.append(_removed(node, bench))
    else:
        text = f"{bench.margin(node)}{mask} = {bench.text(picked.mask)}{_trailing(node, bench)}"
        edits.append(bench.replace([node], text))
    conditions: tuple[Condition, ...] = ()
    found = alternative(picked, bench.facts)
    if found is not None and bench.alone([found.test]) and bench.alone([found.tail]) and not bench.is_elif(found.test):
        edits.append(_either(found, picked.reductions[0], picked, mask, bench))
        conditions = (bench.condition(found.test.test),)
    else:
        edits += [bench.swap(t.node, f"{'not ' if t.holds else ''}{mask}.any()") for t in picked.tests]
        edits += [bench.swap(r.node, _reduced(r, mask, bench)[1]) for r in picked.reductions]
    summary = "reduce what is selected inside the graph"
    return Fix(tuple(edits), _safety(picked.changes), summary, changes=picked.changes, conditions=conditions)


def _either(found: Alternative, reduction: Reduction, picked: Picked, mask: str, bench: Bench) -> Edit:
    """One return of compiled code, above the original, which is left to eager code and makes the selection there."""
    margin, test, newline = bench.margin(found.test), found.test, bench.source.newline
    selection, body = reduction.selection, _body(reduction.selection, bench)
    given = [f"lambda: {bench.text(found.value)}", mask, *(bench.text(e) for _, e in selection.operands)]
    if len(selection.operands) != 1 or body != selection.operands[0][0]:
        given.append(f"of={_function(selection, body, bench, margin)[1]}")
    call = f"{bench.helper(f'_masked_{reduction.kind}_or')}({joined(given)})"
    inner = margin + bench.source.indent
    value, target = picked.node.value, picked.node.targets[0]
    assert isinstance(value, ast.Subscript)
    lines = (
        f"{margin}if {bench.torch(test)}.compiler.is_compiling():",
        inner + bench.layout("return ", call, inner),
        f"{margin}{bench.text(target)} = {bench.operand(value.value)}[{mask}]",
    )
    at = bench.source.line_start(test.lineno - len(bench.comments_above(test)))
    return Edit(Span(at, at), "".join(f"{line}{newline}" for line in lines))


def _safety(changes: tuple[str, ...]) -> Safety:
    return Safety.UNSAFE if changes else Safety.SAFE


def _reduced(reduction: Reduction, mask: str, bench: Bench) -> tuple[str, str]:
    """Lines to put above, and the call."""
    selection = reduction.selection
    body = _body(selection, bench)
    given = joined([bench.text(e) for _, e in selection.operands])
    helper = bench.helper(f"_masked_{reduction.kind}")
    if not selection.lifted and len(selection.operands) == 1 and body == selection.operands[0][0]:
        return "", f"{helper}({mask}, {given})"
    before, function = _function(selection, body, bench, bench.margin(reduction.statement))
    return before, f"{helper}({mask}, {given}, of={function})"


def _function(selection: Selection, body: str, bench: Bench, margin: str) -> tuple[str, str]:
    """Lines to put above, and the function of what is selected."""
    names = joined([name for name, _ in selection.operands])
    if not selection.lifted:
        called = _called(selection, body, names)
        return "", called or f"lambda {names}: {body}"
    name = bench.fresh("selected")
    lines = [_filled(s, selection, bench) for s in selection.lifted]
    text = f"def {name}({names}):\n" + "".join(f"    {line}\n" for line in lines) + f"    return {body}"
    return bench.lines(text, margin) + bench.source.newline, name


def _called(selection: Selection, body: str, names: str) -> str | None:
    """`self.layer` for `lambda x: self.layer(x)`."""
    head, found, rest = body.partition("(")
    is_attribute = isinstance(selection.value, ast.Call) and isinstance(selection.value.func, ast.Attribute)
    return head if selection.rows and is_attribute and found and rest == f"{names})" else None


def _body(selection: Selection, bench: Bench) -> str:
    text = _filled(selection.value, selection, bench)
    return f"({text})" if "\n" in text or "\r" in text else text


def _filled(node: ast.AST, selection: Selection, bench: Bench) -> str:
    """The text of a node with the names of what is selected in the place of the selections."""
    span, text = bench.source.span(node), bench.source.code(node)
    inner = {bench.source.span(pick): name for pick, name in selection.picks}
    for part, name in sorted(inner.items(), reverse=True):
        if span.start <= part.start and part.end <= span.end:
            text = text[: part.start - span.start] + name + text[part.end - span.start :]
    return text


def _removed(statement: ast.stmt, bench: Bench) -> Edit:
    """Take a statement out with its line; its comments stay."""
    start, end = bench.source.span(statement).start, bench.source.span(statement).end
    row, _ = bench.source.position(start)
    last, _ = bench.source.position(end)
    line = bench.source.text[start : bench.source.line_end(last)]
    kept = comments(line)
    if not kept:
        return Edit(Span(bench.source.line_start(row), bench.source.line_start(last + 1)), "")
    between = bench.source.newline + bench.margin(statement)
    return Edit(Span(start, bench.source.line_end(last)), between.join(kept))


__all__: Sequence[str] = ["loss_fix", "picked_fix", "reduction_fix", "update_fix"]
