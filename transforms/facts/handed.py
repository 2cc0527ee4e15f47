"""Values that callers hand down by keyword: which arms never run for it, who may call, and what a call gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import NoFix
from .classes import FunctionNode
from .parameters import defaults

if TYPE_CHECKING:
    from . import Facts
    from .calls import Calls
    from .names import Names


def handed_down(choice: ast.If | ast.IfExp, arm: ast.AST, names: Names, calls: Calls) -> bool:
    """True for the arm that runs where a keyword is not given, of a function whose callers in sight all give it."""
    asked = not_given(choice, arm, names)
    if asked is None:
        return False
    function, name = asked
    given = [[k.value for k in c.keywords if k.arg == name] for c in calls.reaching(function)]
    return bool(given) and all(g and not isinstance(g[0], ast.Constant) for g in given)


def not_given(choice: ast.If | ast.IfExp, arm: ast.AST, names: Names) -> tuple[ast.FunctionDef, str] | None:
    """The function and its keyword, for the arm that runs where the keyword is not given."""
    match choice.test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
        ):
            absent = choice.body if isinstance(op, ast.Is) else choice.orelse
        case _:
            return None
    function = names.enclosing_function(choice.test)
    if not isinstance(function, ast.FunctionDef) or not (arm is absent or (isinstance(absent, list) and arm in absent)):
        return None
    keywords = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    optional = [a.arg for a, d in keywords if isinstance(d, ast.Constant) and d.value is None]
    return (function, name) if name in optional else None


def out_of_sight(function: FunctionNode, facts: Facts) -> NoFix | None:
    """Refuse a function that something else may call."""
    calls = {id(c.func) for c in facts.calls.reaching(function)}
    uses: list[ast.Name | ast.Attribute] = [n for n in facts.names.nodes(ast.Name) if n.id == function.name]
    if facts.classes.of_function(function) is not None:
        uses = [n for n in facts.names.nodes(ast.Attribute) if n.attr == function.name and function.name != "forward"]
    for use in uses:
        around = facts.names.parent(use)
        elsewhere = isinstance(around, ast.Call) and around.func is use and facts.calls.target(around) is not None
        if id(use) not in calls and not elsewhere and not isinstance(use.ctx, ast.Store):
            return NoFix(f"`{ast.unparse(use)}` on line {use.lineno} may call it out of sight")
    return None


def arguments(call: ast.Call, function: FunctionNode, needed: set[str], bound: bool) -> Given | NoFix:
    """What a call gives for some parameters of the function that it runs; its object by the name of `self`."""
    text = f"`{ast.unparse(call.func)}(…)` on line {call.lineno}"
    positional = [x.arg for x in [*function.args.posonlyargs, *function.args.args]]
    rest = positional[1 if bound else 0 :]
    given = dict(zip(rest, call.args, strict=False)) | {k.arg: k.value for k in call.keywords if k.arg}
    default, found = defaults(function), Given()
    starred = any(isinstance(x, ast.Starred) for x in call.args)
    for name in sorted(needed):
        if bound and name == positional[0]:
            func = call.func
            named = isinstance(func, ast.Attribute) and func.attr == function.name
            found.receiver = func.value if isinstance(func, ast.Attribute) and named else func
        elif starred or (name not in given and any(k.arg is None for k in call.keywords)):
            return NoFix(f"{text} unpacks its arguments")
        elif name in given:
            found.values[name] = given[name]
        elif isinstance(literal := default.get(name), ast.Constant):
            found.values[name] = literal
        else:
            return NoFix(f"{text} does not give `{name}`")
    return found


class Given:
    """What a call gives: the object of a method, where it is asked for, and values by parameter."""

    def __init__(self) -> None:
        self.receiver: ast.expr | None = None
        self.values: dict[str, ast.expr] = {}


__all__ = ["Given", "arguments", "handed_down", "not_given", "out_of_sight"]
