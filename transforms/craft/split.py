"""Text that splits a function into an eager outer part and a core that is compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

import libcst as cst

from ..facts.classes import FunctionNode
from ..facts.flow import binds
from ..facts.hoists import GRAD_MODES, Flag, Hoist
from ..facts.items import Items
from ..facts.values import Tag
from ..model import Edit, NoFix, Span
from .bench import Bench, joined
from .helpers import ALONE


def split(hoist: Hoist, bench: Bench) -> list[Edit] | NoFix:
    """The edits: the outer function above, the core's header, the statements that left, the flags in their places."""
    function = hoist.function
    header = _header(function, bench)
    if isinstance(header, NoFix):
        return header
    added = [*hoist.passed, *dict.fromkeys(f.name for f in hoist.flags)]
    edits = [_headers(hoist, header, added, bench)]
    docstring = _docstring(function)
    for statement in [*([docstring] if docstring else []), *hoist.prologue, *hoist.epilogue]:
        if not bench.alone([statement]):
            return NoFix("a statement that would move shares its line with another")
        edits.append(_deletion(statement, function, bench))
    seen: set[int] = set()
    for flag in hoist.flags:
        if id(flag.node) not in seen:
            seen.add(id(flag.node))
            edits += _put(flag, bench)
    if _empty(function, hoist, docstring):
        return NoFix("nothing would be left to compile")
    return edits


def _put(flag: Flag, bench: Bench) -> list[Edit]:
    """The flag in the place of its expression, or the item of a list of them."""
    items = flag.items
    if items is None or not items.indices:
        calls = items.dropped if items is not None else ()
        bare = [bench.swap(c, bench.source.code(c.func.value)) for c in calls if isinstance(c.func, ast.Attribute)]
        return [bench.swap(flag.node, flag.name), *bare]
    return [bench.swap(flag.node, flag.name + "".join(f"[{bench.source.code(i)}]" for i in items.indices))]


def _empty(function: FunctionNode, hoist: Hoist, docstring: ast.stmt | None) -> bool:
    moved = {*hoist.prologue, *hoist.epilogue, docstring}
    return all(s in moved for s in function.body)


def _docstring(function: FunctionNode) -> ast.stmt | None:
    return function.body[0] if ast.get_docstring(function, clean=False) is not None else None


def _header(function: FunctionNode, bench: Bench) -> cst.FunctionDef | NoFix:
    """The function with an empty body, as libcst holds it."""
    source = bench.source
    start, stop = source.span(function).start, source.span(function.body[0]).start
    row, _ = source.position(stop)
    if source.text[source.line_start(row) : stop].strip():
        return NoFix("its body stands on the line of its header")
    text = source.text[start:stop].rstrip()
    for _ in range(text.count("#") + 1):
        if not text.endswith(":"):
            text = text.rpartition("#")[0].rstrip()
    made = bench.parse(f"{text} pass\n")
    return made if isinstance(made, cst.FunctionDef) else NoFix("its header cannot be read")


def core_name(function: FunctionNode, bench: Bench) -> str:
    """`_forward` for `forward`, `_call` for `__call__`, `_step_core` for `_step`, unless the file uses that name."""
    if function.name.startswith("__"):
        return bench.fresh(f"_{function.name.strip('_')}")
    return bench.fresh(f"{function.name}_core" if function.name.startswith("_") else f"_{function.name}")


def _headers(hoist: Hoist, header: cst.FunctionDef, added: Sequence[str], bench: Bench) -> Edit:
    """Replace decorators and header by the outer function and the core's header."""
    function, source = hoist.function, bench.source
    margin, step, newline = source.margin(function), source.indent, source.newline
    core = core_name(function, bench)
    owner = bench.facts.classes.of_function(function)
    explicit, grad = _decorators(function, bench)
    torch = bench.torch(function)
    mark = [] if explicit else [f"@{torch}.{ALONE}"]
    lines = [*mark, bench.header(header)]
    docstring = _docstring(function)
    if docstring is not None:
        lines.append(step + bench.source.code(docstring))
    body = [margin + line for line in lines]
    for statement in hoist.prologue:
        early = {f.name: _value(f, bench, {}) for f in hoist.flags if f.before is statement}
        body += [f"{margin}{step}{name} = {value}" for name, value in early.items()]
        body += _moved(statement, margin + step, bench)
    ahead = _ahead(hoist)
    body += [f"{margin}{step}{f.name} = {_value(f, bench, ahead)}" for f in ahead.values()]
    call = _call(function, core, owner is not None, hoist, ahead, bench)
    result = _result(hoist, bench) if hoist.epilogue else None
    head = "return " if not hoist.epilogue else f"{result} = " if result else ""
    body.append(margin + step + bench.layout(head, call, margin + step))
    for statement in hoist.epilogue:
        body += _moved(statement, margin + step, bench)
    body += [f"{margin}{step}return {result}"] if result else []
    blank = newline if owner else newline * 2
    keyword = bench.header(_core(header, core, added))
    compiled = "".join(f"{margin}@{source.code(d)}{newline}" for d in [*explicit, *grad])
    text = newline.join(body) + newline + blank + compiled + margin + keyword
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    at = source.line_start(first)
    end = source.span(function.body[0]).start
    head = source.text[source.span(function).start : end]
    tail = re.sub(r"(?:\s*^[ \t]*#.*)+\s*\Z", "", head, flags=re.MULTILINE).rstrip()
    return Edit(Span(at, source.span(function).start + len(tail)), text)


def _moved(statement: ast.stmt, margin: str, bench: Bench) -> list[str]:
    comments = [margin + comment for comment in bench.comments_above(statement)]
    return [*comments, bench.render(bench.statements([statement]), margin)]


def _result(hoist: Hoist, bench: Bench) -> str | None:
    """What the outer function calls the core's result: as the core does, where nothing moved uses that name."""
    last = hoist.function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        return None
    arguments = {a.arg for a in ast.walk(hoist.function.args) if isinstance(a, ast.arg)}
    free = isinstance(last.value, ast.Name) and last.value.id not in arguments | binds(*hoist.prologue)
    return last.value.id if free and isinstance(last.value, ast.Name) else bench.fresh("result")


def _decorators(function: FunctionNode, bench: Bench) -> tuple[list[ast.expr], list[ast.expr]]:
    """The compile decorators and the gradient-mode decorators; both belong to the core."""
    grad = []
    for d in function.decorator_list:
        head = d.func if isinstance(d, ast.Call) else d
        if bench.facts.names.qualified(head) in GRAD_MODES:
            grad.append(d)
    return [d for d in function.decorator_list if d not in grad], grad


def _core(header: cst.FunctionDef, name: str, added: Sequence[str]) -> cst.FunctionDef:
    """The core's header: no defaults (the outer function fills them), the flags as keyword-only parameters."""
    p = header.params
    bare = [x.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for x in p.params]
    only = [x.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for x in p.kwonly_params]
    positional = [x.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for x in p.posonly_params]
    fresh = [cst.Param(cst.Name(a)) for a in added]
    star: cst.Param | cst.ParamStar | cst.MaybeSentinel = p.star_arg
    if not isinstance(star, (cst.Param, cst.ParamStar)):
        star = cst.ParamStar()
    everything = [*positional, *bare, *([p.star_arg] if isinstance(p.star_arg, cst.Param) else []), *only]
    between = next((x.comma for x in everything if _breaks_line(x.comma)), None)
    if between is not None and fresh:
        # One parameter a line: the last new one ends as the last old one did.
        last = everything[-1].comma
        star = star.with_changes(comma=between)
        bare = [x.with_changes(comma=between) for x in bare]
        only = [x.with_changes(comma=between) for x in only]
        fresh = [
            *(x.with_changes(comma=between) for x in fresh[:-1]),
            fresh[-1].with_changes(comma=between if p.star_kwarg else last),
        ]
    elif fresh and not isinstance(p.star_kwarg, cst.Param):
        # All on one line, which may be another than that of the parentheses.
        behind = everything[-1].whitespace_after_param if everything else cst.SimpleWhitespace("")
        bare = [x.with_changes(whitespace_after_param=cst.SimpleWhitespace("")) for x in bare]
        only = [x.with_changes(whitespace_after_param=cst.SimpleWhitespace("")) for x in only]
        fresh[-1] = fresh[-1].with_changes(whitespace_after_param=behind)
    params = p.with_changes(
        params=bare,
        posonly_params=positional,
        kwonly_params=[*only, *fresh] if fresh else only,
        star_arg=star if fresh or only else p.star_arg,
    )
    return header.with_changes(name=cst.Name(name), params=params, decorators=(), leading_lines=())


def _breaks_line(comma: cst.Comma | cst.MaybeSentinel) -> bool:
    return isinstance(comma, cst.Comma) and isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace)


def _call(
    function: FunctionNode, core: str, method: bool, hoist: Hoist, ahead: Mapping[int, Flag], bench: Bench
) -> str:
    a = function.args
    names = [x.arg for x in [*a.posonlyargs, *a.args]]
    owner = names.pop(0) if method else None
    parts = [*names]
    if a.vararg:
        parts.append(f"*{a.vararg.arg}")
    parts += [f"{x.arg}={x.arg}" for x in a.kwonlyargs]
    parts += [f"{n}={n}" for n in hoist.passed]
    done: set[str] = set()
    for flag in hoist.flags:
        if flag.name not in done:
            done.add(flag.name)
            bound = flag.before or id(flag.node) in ahead
            parts.append(f"{flag.name}={flag.name if bound else _value(flag, bench, ahead)}")
    if a.kwarg:
        parts.append(f"**{a.kwarg.arg}")
    return f"{owner + '.' if owner else ''}{core}({joined(parts)})"


def _ahead(hoist: Hoist) -> dict[int, Flag]:
    """The random draws by their nodes, where others depend on one: all in their order, in lines of their own."""
    drawn = {id(f.node): f for f in hoist.flags if f.drawn}
    asked = any(id(test) in drawn for f in hoist.flags for test, _ in f.guards)
    return drawn if asked else {}


def _value(flag: Flag, bench: Bench, ahead: Mapping[int, Flag]) -> str:
    """The flag's expression under the conditions that guard it in the original."""
    code = bench.source.code(flag.node)
    if flag.items is not None:
        text = _listed(flag.items, bench)
    else:
        text = re.sub(r"\s*[\r\n]\s*", " ", code) if "#" not in code else bench.text(flag.node)
    guards = [
        f"{'' if holds else 'not '}{ahead[id(t)].name}" if id(t) in ahead else _conjunct(t, holds, bench)
        for t, holds in flag.guards
    ]
    known = bench.facts.kinds.of(flag.node)
    if flag.boolean and (guards or known.tag is not Tag.HOST or known.detail != "bool"):
        loose = guards and isinstance(flag.node, (ast.BoolOp, ast.IfExp))
        return f"bool({' and '.join([*guards, f'({text})' if loose else text])})"
    return f"{text} if {' and '.join(guards)} else None" if guards else text


def _listed(items: Items, bench: Bench) -> str:
    """A list of all items of the tensor."""
    tensor = items.tensor.id
    if items.counted:
        return f"{bench.helper('_items_by_index')}({tensor})"
    if items.axes > 1:
        return f"[[n.item() for n in row] for row in {tensor}]"
    return f"[n.item() for n in {tensor}]"


def _conjunct(test: ast.expr, holds: bool, bench: Bench) -> str:
    """The text of a condition, or of its opposite, that stands beside `and`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _conjunct(test.operand, not holds, bench)
    loose = isinstance(test, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr))
    text = f"({bench.source.code(test)})" if loose else bench.text(test)
    return text if holds else f"not {text}"


def _deletion(statement: ast.stmt, function: FunctionNode, bench: Bench) -> Edit:
    """Delete the lines of a statement with the comment above it, and a blank line where two would meet."""
    source = bench.source
    first, last = statement.lineno - len(bench.comments_above(statement)), statement.end_lineno or statement.lineno
    opens = statement is function.body[0] or not source.line(first - 1).strip()
    while opens and last < source.line_count - 1 and not source.line(last + 1).strip():
        last += 1
    return Edit(Span(source.line_start(first), source.line_start(last + 1)), "")
