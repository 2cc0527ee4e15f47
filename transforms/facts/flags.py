"""Names for what is computed outside and passed in."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..trees import walk
from .classes import FunctionNode
from .items import Items
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

_WORDS = {ast.Lt: "below", ast.Gt: "above", ast.LtE: "at_most", ast.GtE: "at_least", ast.Eq: "is", ast.NotEq: "is_not"}
_Guards = tuple[tuple[str, bool], ...]
_SILENT = ("item", "float", "detach", "tolist", "cpu", "int", "long", "bool", "abs")


@dataclass(frozen=True, slots=True)
class Flag:
    """An expression that is computed outside and passed in.

    Attributes:
        node: the expression.
        name: what to call it.
        guards: conditions (with their polarity) under which the original evaluates it; all must hold for evaluating it.
        boolean: it is a condition on a tensor, so `bool(…)` of it is passed.
        before: the statement of the prologue that changes what it reads, None where it may be computed last.
        drawn: it draws random numbers, and so anew in each place.
        items: where it is one of a tensor's items, all of which are read outside.
    """

    node: ast.expr
    name: str
    guards: tuple[tuple[ast.expr, bool], ...]
    boolean: bool
    before: ast.stmt | None = None
    drawn: bool = False
    items: Items | None = None

    @property
    def nodes(self) -> list[ast.AST]:
        """The nodes that leave the function with it."""
        kept = {id(n) for i in (self.items.indices if self.items is not None else ()) for n in walk(i)}
        parts = [self.node, *(self.items.dropped if self.items is not None else ())]
        return [n for part in parts for n in walk(part) if id(n) not in kept]


@dataclass(frozen=True, slots=True)
class Hoist:
    """What moves out of one function.

    Attributes:
        function: the compiled entry.
        prologue: whole statements of its body that move, in order.
        flags: expressions that move.
        passed: names that the prologue binds and the rest reads, parameters excluded.
        sites: the nodes at which the graph was cut.
        epilogue: whole statements of its body that run after the core, in order.
        changes: what a caller could observe.
        baked: the nodes at which a number of the caller would become a constant of the graph.
    """

    function: FunctionNode
    prologue: tuple[ast.stmt, ...]
    flags: tuple[Flag, ...]
    passed: tuple[str, ...]
    sites: tuple[ast.expr, ...]
    epilogue: tuple[ast.stmt, ...] = ()
    changes: tuple[str, ...] = ()
    baked: tuple[ast.expr, ...] = ()


def named_apart(flags: list[Flag], function: FunctionNode, facts: Facts) -> tuple[Flag, ...]:
    """Equal expressions under equal conditions share one flag; others get different names.

    An attribute's own name is free for it.
    """
    by_text: dict[tuple[str, _Guards], str] = {}
    taken: set[str] = set()
    visible = {n.id for n in walk(function) if isinstance(n, ast.Name)} | set(facts.flow(function).parameters)
    out = []
    for flag in joined(flags):
        key = told(flag)
        if key not in by_text:
            own = flag.name not in visible | taken and facts.names.resolve(flag.name, function.body[0]) is None
            own = own and flag.name not in facts.names.walk.module.sites and not keyword.iskeyword(flag.name)
            by_text[key] = flag.name if own else facts.names.fresh(flag.name, taken)
            taken.add(by_text[key])
        out.append(replace(flag, name=by_text[key]))
    return tuple(out)


def told(flag: Flag) -> tuple[str, _Guards]:
    """What a flag holds and under which conditions, the same for all that are one."""
    return _text(flag), _spelled(flag)


def _text(flag: Flag) -> str:
    """What a flag holds, the same for all that hold the same."""
    read = f"items {flag.items.tensor.id} {flag.items.axes}" if flag.items is not None else ast.dump(flag.node)
    return f"{read} {id(flag.before)} {flag.boolean} {id(flag.node) if flag.drawn else ''}"


def _spelled(flag: Flag) -> _Guards:
    return tuple((ast.dump(test), holds) for test, holds in flag.guards)


def joined(flags: list[Flag]) -> list[Flag]:
    """The flags, without conditions that do not matter: one of two opposite ones holds, or another needs none."""
    again = True
    while again:
        again = False
        for flag in flags:
            own = _spelled(flag)
            others = {_spelled(f) for f in flags if _text(f) == _text(flag)}
            opposite = (*own[:-1], (own[-1][0], not own[-1][1])) if own else own
            if own and (() in others or opposite in others):
                kept = () if () in others else flag.guards[:-1]
                dropped = {own, opposite} if () not in others else others
                flags = [
                    replace(f, guards=kept) if _text(f) == _text(flag) and _spelled(f) in dropped else f for f in flags
                ]
                again = True
                break
    return flags


def flag_name(expr: ast.expr, facts: Facts) -> str:
    """A telling name: `mask_all`, `action_mean_below_threshold`, `task_item`; `mask_flag` where that gets long."""
    name = _name(expr, facts)
    name = f"value_{name}" if name[0].isdigit() else name
    roots = [n.id for n in walk(expr) if isinstance(n, ast.Name) and facts.kinds.of(n).tag in (Tag.TENSOR, Tag.UNKNOWN)]
    own = [n.attr for n in walk(expr) if isinstance(n, ast.Attribute) and not roots]
    root = (roots or own or ["input"])[0].strip("_")
    if len(name) > 32 or isinstance(expr, ast.BoolOp):
        return f"{root}_flag"
    return f"{name}_value" if name in roots else name


def _name(expr: ast.expr, facts: Facts) -> str:
    """A telling name: `mask_all`, `action_mean_below_threshold`, `task_item`."""
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.Not):
        return f"not_{_name(expr.operand, facts)}"
    if isinstance(expr, ast.Compare) and len(expr.ops) == 1 and type(expr.ops[0]) in _WORDS:
        right = _name(expr.comparators[0], facts)
        return f"{_name(expr.left, facts)}_{_WORDS[type(expr.ops[0])]}_{right}"
    if isinstance(expr, ast.Constant):
        return re.sub(r"\W", "_", str(expr.value).removesuffix(".0").replace("-", "minus_")) or "x"
    if isinstance(expr, ast.Attribute):
        return expr.attr.strip("_") or "x"
    if isinstance(expr, ast.Name):
        return expr.id.strip("_") or "x"
    if isinstance(expr, ast.Subscript):
        return _name(expr.value, facts)
    if isinstance(expr, ast.Call):
        return _call_name(expr, facts)
    if isinstance(expr, ast.BinOp):
        cyclic = (
            isinstance(expr.op, ast.Mod) and isinstance(expr.right, ast.Constant) and isinstance(expr.right.value, int)
        )
        return f"{_name(expr.left, facts)}_mod_{ast.unparse(expr.right)}" if cyclic else _name(expr.left, facts)
    if isinstance(expr, ast.UnaryOp):
        return _name(expr.operand, facts)
    if isinstance(expr, (ast.GeneratorExp, ast.ListComp)):
        item, drawn = _name(expr.elt, facts), _name(expr.generators[0].target, facts)
        return _name(expr.generators[0].iter, facts) + item.removeprefix(drawn) if item.startswith(drawn) else item
    return "flag"


def _call_name(call: ast.Call, facts: Facts) -> str:
    func = call.func
    if isinstance(func, ast.Attribute) and facts.names.qualified(func) is None:
        on = func.value
        if isinstance(on, ast.Name) and facts.kinds.of(on).tag in (Tag.MODULE, Tag.INSTANCE):
            return func.attr.strip("_")
        return _name(on, facts) if func.attr in _SILENT else f"{_name(on, facts)}_{func.attr}"
    if not call.args:
        return "flag"
    function = (facts.names.qualified(func) or "value").rpartition(".")[2].lower()
    inner = _name(call.args[0], facts)
    silent = function in ("bool", "int", "float") or (function in ("any", "all") and inner.endswith(f"_{function}"))
    return inner if silent else f"{inner}_{function}"
