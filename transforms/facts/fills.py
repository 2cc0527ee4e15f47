"""Tensors of which a few numbers are known to be all that they hold, where optional inputs are absent.

Values are sets of numbers that a tensor's elements, or a Python value, may be; `ABSENT` is the value None, and a None
of this code is no knowledge at all.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..trees import children, walk
from .classes import FunctionNode
from .flow import binds, reads

if TYPE_CHECKING:
    from . import Facts
    from .calls import Target

Number = int | float | bool
Fill = frozenset[Number]
Known = Fill | str | tuple["Known | None", ...]
Env = dict[str, "Known | None"]

ABSENT = "absent"
_MANY = 8
_DEPTH = 3
_MADE: Mapping[str, Number] = {"ones": 1, "zeros": 0, "ones_like": 1, "zeros_like": 0, "new_ones": 1, "new_zeros": 0}
_KEPT = frozenset(
    {"flatten", "view", "reshape", "expand", "repeat", "unsqueeze", "squeeze", "transpose", "permute", "contiguous"}
    | {"clone", "detach", "item", "cpu", "cuda"}
)
_CONVERTED = frozenset({"to", "float", "long", "int", "bool", "half", "type_as"})  # 0 and 1 are the same in all dtypes
_DTYPES = frozenset({"torch.float32", "torch.float", "torch.long", "torch.int64", "torch.int32", "torch.int"})
_DTYPES |= {"torch.float64", "torch.double", "torch.float16", "torch.half", "torch.bfloat16"}
_LARGEST = 127  # of what any integer dtype holds
_OPERATORS: Mapping[type[ast.AST], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
# A method of the models of transformers: 1 becomes 0, 0 the most negative number of the dtype.
EXTENDED = "get_extended_attention_mask"
_LOWEST = -1e4


class Fills:
    """The evaluation of one function's body."""

    def __init__(self, facts: Facts, function: FunctionNode, depth: int = 0) -> None:
        self.facts = facts
        self.function = function
        self.depth = depth
        self.assumed = False  # what a method of another file does was taken for known
        self.at: dict[int, Known | None] = {}  # the value of each expression, by its id
        self._returned: list[Known | None] = []
        self._links: set[frozenset[str]] = set()  # pairs of names that may share memory

    def run(self, env: Env) -> None:
        """Evaluate the body with what is known of the parameters."""
        self._block(self.function.body, dict(env))

    def result(self) -> Known | None:
        """What the function returns."""
        return _common(self._returned) if self._returned else None

    # -- statements ----------------------------------------------------------------------------------------------------
    def _block(self, body: Sequence[ast.stmt], env: Env) -> Env | None:
        for s in body:
            match s:
                case ast.Assign() | ast.AnnAssign() if s.value is not None:
                    value = self.of(s.value, env)
                    self._changed(s, env)
                    for target in s.targets if isinstance(s, ast.Assign) else [s.target]:
                        self._bind(target, value, env)
                    self._links |= {frozenset({a, b}) for a in binds(s) for b in reads(s.value)}
                case ast.Return():
                    self._returned.append(self.of(s.value, env) if s.value else ABSENT)
                    return None
                case ast.Raise():
                    return None
                case ast.If():
                    after = self._if(s, env)
                    if after is None:
                        return None
                    env = after
                case ast.Expr():
                    self._forget(s, env)
                    self.of(s.value, env)
                case _:
                    self._forget(s, env)
                    if any(isinstance(n, ast.Return) for n in walk(s)):
                        self._returned.append(None)
        return env

    def _if(self, s: ast.If, env: Env) -> Env | None:
        asked = self.of(s.test, env)
        decided = self.truth(s.test, env)
        if isinstance(asked, frozenset) and len(asked) == 1 and decided is None:
            decided = bool(min(asked))
        arms = [(True, s.body), (False, s.orelse)]
        ends = [self._block(body, dict(env)) for holds, body in arms if decided in (None, holds)]
        live = [e for e in ends if e is not None]
        if not live:
            return None
        if len(live) == 1:
            return live[0]
        return {name: _common([e.get(name) for e in live]) for name in {**live[0], **live[1]}}

    def _forget(self, s: ast.stmt, env: Env) -> None:
        """What a statement of another kind binds, or changes in place, is not known behind it."""
        for name in binds(s):
            env[name] = None
        self._changed(s, env)

    def _changed(self, s: ast.stmt, env: Env) -> None:
        """What a statement changes in place is not known behind it, nor what may share its memory."""
        changed = {name for name in self.facts.effects.of([s]).mutates if name in env}
        while more := {n for link in self._links if link & changed for n in link} - changed:
            changed |= more
        for name in changed:
            env[name] = ABSENT if env.get(name) == ABSENT else None

    def _bind(self, target: ast.expr, value: Known | None, env: Env) -> None:
        if isinstance(target, ast.Name):
            env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value if isinstance(value, tuple) and len(value) == len(target.elts) else (None,) * len(target.elts)
            for element, part in zip(target.elts, parts, strict=True):
                self._bind(element, part, env)
        else:
            for name in [n.id for n in walk(target) if isinstance(n, ast.Name)]:
                env[name] = None  # an element, or an attribute, is assigned

    # -- expressions ---------------------------------------------------------------------------------------------------
    def truth(self, test: ast.expr, env: Env) -> bool | None:
        """The outcome of a condition, None where it is not known."""
        match test:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
                value = self.of(left, env)
                return None if value is None else (value == ABSENT) is isinstance(op, ast.Is)
            case ast.UnaryOp(op=ast.Not()):
                inner = self.truth(test.operand, env)
                return None if inner is None else not inner
            case ast.BoolOp():
                sides = [self.truth(v, env) for v in test.values]
                decisive = isinstance(test.op, ast.Or)
                return decisive if decisive in sides else None if None in sides else not decisive
        return None

    def of(self, e: ast.expr, env: Env) -> Known | None:
        """What an expression may hold."""
        found = self._of(e, env)
        if isinstance(found, frozenset) and len(found) > _MANY:
            found = None
        self.at[id(e)] = found
        return found

    def _of(self, e: ast.expr, env: Env) -> Known | None:
        match e:
            case ast.Constant(value=None):
                return ABSENT
            case ast.Constant(value=int() | float() as number):
                return frozenset({number})
            case ast.Name():
                return env.get(e.id)
            case ast.Tuple():
                return tuple(self.of(x, env) for x in e.elts)
            case ast.BinOp() if type(e.op) in _OPERATORS:
                found = _mapped(_OPERATORS[type(e.op)], self.of(e.left, env), self.of(e.right, env))
                # The sum of two masks is a mask, and what is below zero is another number in an unsigned dtype.
                plain = (
                    isinstance(e.op, ast.Mult) or isinstance(e.left, ast.Constant) or isinstance(e.right, ast.Constant)
                )
                return found if plain and found is not None and all(0 <= x <= _LARGEST for x in found) else None
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                return _mapped(_OPERATORS[type(op)], self.of(e.left, env), self.of(right, env))
            case ast.Subscript():
                base = self.of(e.value, env)
                return base if isinstance(base, frozenset) else None
            case ast.Call():
                return self._call(e, env)
        for child in children(e):
            if isinstance(child, ast.expr):
                self.of(child, env)
        return None

    def _call(self, call: ast.Call, env: Env) -> Known | None:
        args = [self.of(a, env) for a in call.args]
        keywords = {k.arg: self.of(k.value, env) for k in call.keywords if k.arg}
        name = self.facts.names.qualified(call.func) or ""
        last = name.rpartition(".")[2] if name.startswith("torch.") else ""
        dtype = next((k.value for k in call.keywords if k.arg == "dtype"), None)
        if last in _MADE:
            usual = dtype is None or self.facts.names.qualified(dtype) in _DTYPES
            return frozenset({_MADE[last]}) if usual and "out" not in keywords else None
        if last == "pad" and args and isinstance(args[0], frozenset):
            by = keywords.get("value", frozenset({0}))
            return args[0] | by if isinstance(by, frozenset) and len(args) == 2 and "mode" not in keywords else None
        target = self.facts.calls.target(call)
        if target is not None and target.plain:
            return self._own(call, target, args, keywords)
        if not isinstance(call.func, ast.Attribute):
            return None
        method, base = call.func.attr, self.of(call.func.value, env)
        if method == EXTENDED and args and isinstance(args[0], frozenset) and args[0] <= {0, 1}:
            self.assumed = True
            return frozenset({0 if x else _LOWEST for x in args[0]})
        if not isinstance(base, frozenset):
            made = method in ("new_ones", "new_zeros") and dtype is None
            return frozenset({_MADE[method]}) if made else None
        if (method == "any" and base == {0}) or (method == "all" and base == {1}):
            return base
        return base if method in _KEPT or (method in _CONVERTED and base <= {0, 1}) else None

    def _own(
        self,
        call: ast.Call,
        target: Target,
        args: Sequence[Known | None],
        keywords: Mapping[str, Known | None],
    ) -> Known | None:
        """A function of the file, with what is known of its arguments."""
        if self.depth >= _DEPTH or any(isinstance(a, ast.Starred) for a in call.args):
            return None
        given = {**dict(zip(target.positional, args, strict=False)), **keywords}
        inner = filled(target.function, given, self.facts, self.depth + 1)
        self.assumed |= inner.assumed
        return inner.result()


def filled(function: FunctionNode, given: Env, facts: Facts, depth: int = 0) -> Fills:
    """A function evaluated with what is known of its parameters."""

    def run() -> Fills:
        made = Fills(facts, function, depth)
        made.run(given)
        return made

    return facts.answer(filled, (function, depth, frozenset(given.items())), run)


def _mapped(function: Callable[[Number, Number], Number], a: Known | None, b: Known | None) -> Fill | None:
    if not isinstance(a, frozenset) or not isinstance(b, frozenset):
        return None
    return frozenset(function(x, y) for x in a for y in b)


def _common(values: Sequence[Known | None]) -> Known | None:
    """What is known of one of several values."""
    first = values[0]
    if all(v == first for v in values):
        return first
    if all(isinstance(v, frozenset) for v in values):
        return frozenset().union(*(v for v in values if isinstance(v, frozenset)))
    if all(isinstance(v, tuple) for v in values) and len({len(v) for v in values if isinstance(v, tuple)}) == 1:
        return tuple(_common(list(part)) for part in zip(*(v for v in values if isinstance(v, tuple)), strict=True))
    return None


__all__ = ["ABSENT", "Fills"]
