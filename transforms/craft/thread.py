"""Text that hands values of the inputs down to the functions that need them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..facts.classes import FunctionNode
from ..facts.threads import Made, Thread
from ..model import Edit, NoFix
from .bench import Bench
from .signature import argument, parameter

_BARE = (ast.Assign, ast.AnnAssign, ast.Return, ast.Call, ast.keyword, ast.For)


def hand_down(threads: Sequence[Thread], bench: Bench) -> list[Edit] | NoFix:
    """The edits: values above the calls, keywords in calls and headers, and the parameter where it was read."""
    takes: dict[FunctionNode, list[str]] = {}
    gives: dict[ast.Call, list[str]] = {}
    first: dict[tuple[FunctionNode, str], Made] = {}
    edits: list[Edit | NoFix] = []
    for thread in threads:
        for function, name in thread.takes:
            _add(takes.setdefault(function, []), f"{name}=None")
        for call, keyword, name in thread.gives:
            _add(gives.setdefault(call, []), f"{keyword}={name}")
        for one in thread.made:
            known = first.setdefault((one.home, one.name), one)
            if one.before.lineno < known.before.lineno:
                first[one.home, one.name] = one
        edits.append(_read(thread, bench))
    made: dict[ast.stmt, list[Made]] = {}
    for one in first.values():
        made.setdefault(one.before, []).append(one)
    edits += [parameter(function, ", ".join(names), bench) for function, names in takes.items()]
    edits += [argument(call, ", ".join(words), bench) for call, words in gives.items()]
    edits += [_above(statement, values, bench) for statement, values in made.items()]
    found = []
    for edit in edits:
        if isinstance(edit, NoFix):
            return edit
        found.append(edit)
    return found


def _add(words: list[str], word: str) -> None:
    if word not in words:
        words.append(word)


def _above(statement: ast.stmt, values: Sequence[Made], bench: Bench) -> Edit | NoFix:
    if not bench.alone([statement]):
        return NoFix("the statement that the value belongs above shares its line with another")
    margin = bench.source.margin(statement)
    lines = []
    for made in values:
        value = ast.unparse(made.value)
        tests = [_conjunct(test, holds) for test, holds in made.guards]
        guarded = f"{value} if {' and '.join(tests)} else None" if tests else value
        lines.append(f"{margin}{made.name} = {guarded}")
    return bench.insert_before(statement, bench.source.newline.join(dict.fromkeys(lines)))


def _conjunct(test: ast.expr, holds: bool) -> str:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _conjunct(test.operand, not holds)
    if not holds and isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        other = ast.IsNot() if isinstance(test.ops[0], ast.Is) else ast.Is()
        test, holds = ast.Compare(test.left, [other], test.comparators), True
    text = ast.unparse(test)
    loose = isinstance(test, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr))
    text = f"({text})" if loose else text
    return text if holds else f"not {text}"


def _read(thread: Thread, bench: Bench) -> Edit | NoFix:
    """The parameter where it is given, else the expression as it was; a size is one more argument."""
    if thread.size:
        assert isinstance(thread.node, ast.Call)
        return argument(thread.node, f"output_size={thread.name}", bench)
    own = f"bool({bench.source.code(thread.node)})" if thread.decides else bench.text(thread.node)
    text = f"{thread.name} if {thread.name} is not None else {own}"
    around = bench.facts.names.parent(thread.node)
    bare = isinstance(around, _BARE) and not (isinstance(around, ast.Call) and around.func is thread.node)
    return bench.swap(thread.node, text if bare else f"({text})")
