"""Branches whose arms store the same attributes: the stores taken out, and one value chosen for each."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Evidence, Level, NoFix
from ..trees import walk
from . import torch_api
from .aliases import holders
from .classes import ClassInfo, first_parameter, is_attribute_of
from .effects import Effect
from .flow import binds, reads
from .idle import idle
from .predicates import holds_tensor
from .values import BOOL, SCALAR, Tag

if TYPE_CHECKING:
    from . import Facts

REDUCTIONS = frozenset({"sum", "mean", "all", "any", "norm"})  # of whole tensors, also empty ones
CASTS = frozenset({"to", "float", "half", "double", "bfloat16", "cpu", "cuda", "contiguous", "detach", "clone"})


@dataclass(frozen=True, slots=True)
class Side:
    """One arm.

    Attributes:
        prepared: its statements before the stores: locals, and attributes that are made when first wanted.
        values: what it stores, by attribute; an attribute that it leaves alone is missing.
    """

    prepared: tuple[ast.stmt, ...]
    values: dict[str, ast.expr]


@dataclass(frozen=True, slots=True)
class Stored:
    """A branch that only decides what is stored.

    Attributes:
        owner: the name of the instance.
        kind: "attribute" (`self.x = a`), "buffer" (`self.register_buffer("x", a)`) or "copy" (`self.x.copy_(a)`).
        names: the attributes stored.
        call: the first `register_buffer` or `copy_`.
        true, false: the arms.
        evidence: how sure it is that a graph can choose: the values are alike and take no gradient.
    """

    owner: str
    kind: str
    names: tuple[str, ...]
    call: ast.Call | None
    true: Side
    false: Side
    evidence: Evidence

    @property
    def changes(self) -> tuple[str, ...]:
        """What differs in compiled code."""
        found = []
        sides = (self.true, self.false)
        if self.kind == "copy" and not all(s.values for s in sides):
            found.append(
                f"state: compiled code writes `{self.owner}.{self.names[0]}` in any case, if need be with what it holds"
            )
        if self.kind != "copy" and any(
            isinstance(v, (ast.Name, ast.Attribute)) for s in sides for v in s.values.values()
        ):
            found.append(f"state: compiled code stores tensors of their own in `{self.owner}.{', '.join(self.names)}`")
        if any(
            not isinstance(p, ast.Assign) or not isinstance(p.targets[0], ast.Name) for s in sides for p in s.prepared
        ):
            found.append("state: compiled code prepares what either arm stores")
        return tuple(found)


class Stores:
    """The branches of one file that decide what is stored."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[ast.If, Stored | NoFix | None] = {}

    def of(self, node: ast.If) -> Stored | NoFix | None:
        """The branch taken apart, why it stays, or None where its arms do more than store."""
        if node not in self._known:
            self._known[node] = None if idle(node, self._facts) else _Study(node, self._facts).result()
        return self._known[node]


class _Study:
    def __init__(self, node: ast.If, facts: Facts) -> None:
        self.node, self.facts = node, facts
        self.function = facts.function_of(node)
        self.info: ClassInfo | None = None
        self.owner = ""
        if self.function is not None:
            owner = facts.classes.owner(node)
            first = first_parameter(self.function)
            self.info, self.owner = owner or (None, "self" if first == "self" else "")
        self.kinds: set[str] = set()
        self.calls: list[ast.Call] = []

    def result(self) -> Stored | NoFix | None:
        if not self.owner or self.function is None or not holds_tensor(self.node.test, self.facts):
            return None
        true, false = self._side(self.node.body), self._side(self.node.orelse)
        if true is None or false is None or not self.kinds:
            return None
        names = tuple(dict.fromkeys([*true.values, *false.values]))
        kind = min(self.kinds)
        if len(self.kinds) > 1 or (kind != "attribute" and len(names) > 1):
            return NoFix("it stores in several ways")
        refused = (
            self._calls_differ(kind, true, false)
            or self._missing(kind, names, true, false)
            or self._unfit(true, false)
            or self._shared(kind, true, false)
        )
        if refused is not None:
            return NoFix(refused)
        return Stored(
            self.owner,
            kind,
            names,
            self.calls[0] if self.calls else None,
            true,
            false,
            self._evidence(kind, names, true, false),
        )

    def _evidence(self, kind: str, names: tuple[str, ...], true: Side, false: Side) -> Evidence:
        for value in [*true.values.values(), *false.values.values()]:
            if not self._settled(value):
                return Evidence(Level.ASSUMED, f"`{ast.unparse(value)}` is taken to need no gradient")
        for name in names:
            kept = name not in true.values or name not in false.values
            if kept and kind == "attribute" and not self._scalars(name, {**true.values, **false.values}[name]):
                return Evidence(Level.ASSUMED, f"`{self.owner}.{name}` is taken to have the shape of what is stored")
        return Evidence(Level.PROVED, "the arms only store")

    def _settled(self, e: ast.expr) -> bool:
        """True where the value takes no gradient: it is detached, made of what the instance keeps, or no float."""
        assert self.function is not None
        grad = {
            self.facts.names.qualified(d.func if isinstance(d, ast.Call) else d) for d in self.function.decorator_list
        }
        if grad & {"torch.no_grad", "torch.inference_mode"} or self.facts.kinds.of(e).dtype == BOOL:
            return True
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == "detach":
            return True
        match e:
            case ast.Attribute():
                return is_attribute_of(e, self.owner)
            case ast.Constant():
                return True
            case ast.BinOp():
                return self._settled(e.left) and self._settled(e.right)
            case ast.Call(func=ast.Attribute(value=base, attr=name)) if name in CASTS:
                return self._settled(base)
        return False

    def _scalars(self, name: str, value: ast.expr) -> bool:
        """True where the attribute begins as a 0-d tensor and is given one."""
        made = self.info.attribute(name) if self.info is not None else []
        return all(self.facts.kinds.of(v).shape == SCALAR for v in [*made, value])

    # -- one arm -------------------------------------------------------------------------------------------------------
    def _side(self, body: Sequence[ast.stmt]) -> Side | None:
        prepared: list[ast.stmt] = []
        values: dict[str, ast.expr] = {}
        for s in body:
            found = self._store(s)
            if found is not None and not self._recast(s, found, body):
                kind, name, value, call = found
                if name in values:
                    return None
                self.kinds.add(kind)
                self.calls += [call] if call is not None else []
                values[name] = value
            elif values or not (self._recast(s, found, body) or self._local(s) or self._lazy(s)):
                return None
            else:
                prepared.append(s)
        return Side(tuple(prepared), values)

    def _store(self, s: ast.stmt) -> tuple[str, str, ast.expr, ast.Call | None] | None:
        if isinstance(s, ast.Assign) and len(s.targets) == 1:
            target = s.targets[0]
            if isinstance(target, ast.Attribute) and is_attribute_of(target, self.owner):
                return "attribute", target.attr, s.value, None
        if not isinstance(s, ast.Expr) or not isinstance(s.value, ast.Call):
            return None
        call = s.value
        if self._registers(call) and len(call.args) == 2 and isinstance(call.args[0], ast.Constant):
            return "buffer", str(call.args[0].value), call.args[1], call
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr == "copy_" and len(call.args) == 1 and not call.keywords:
            target = func.value
            if isinstance(target, ast.Attribute) and is_attribute_of(target, self.owner):
                return "copy", target.attr, call.args[0], call
        return None

    def _registers(self, call: ast.Call) -> bool:
        func = call.func
        return isinstance(func, ast.Attribute) and is_attribute_of(func, self.owner) and func.attr == "register_buffer"

    def _recast(
        self, s: ast.stmt, found: tuple[str, str, ast.expr, ast.Call | None] | None, body: Sequence[ast.stmt]
    ) -> bool:
        """`self.x = self.x.to(device)` before the store that counts: doing it more than once changes nothing."""
        if found is None or found[0] != "attribute" or s is body[-1] or not isinstance(found[2], ast.Call):
            return False
        func = found[2].func
        same = isinstance(func, ast.Attribute) and func.attr in CASTS and is_attribute_of(func.value, self.owner)
        return (
            same
            and isinstance(func, ast.Attribute)
            and isinstance(func.value, ast.Attribute)
            and func.value.attr == found[1]
        )

    def _local(self, s: ast.stmt) -> bool:
        return isinstance(s, ast.Assign) and all(isinstance(t, ast.Name) for t in s.targets) and self._light(s.value)

    def _lazy(self, s: ast.stmt) -> bool:
        """`if not hasattr(self, "x"): self.x = …`: made when first wanted."""
        if (
            not isinstance(s, ast.If)
            or s.orelse
            or not isinstance(s.test, ast.UnaryOp)
            or not isinstance(s.test.op, ast.Not)
        ):
            return False
        asked = s.test.operand
        if not isinstance(asked, ast.Call) or self.facts.names.qualified(asked.func) != "builtins.hasattr":
            return False
        key = asked.args[1].value if len(asked.args) == 2 and isinstance(asked.args[1], ast.Constant) else None
        for inner in s.body:
            if not isinstance(inner, ast.Assign) or len(inner.targets) != 1:
                return False
            target = inner.targets[0]
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            made = [
                p for p in parts if isinstance(p, ast.Attribute) and is_attribute_of(p, self.owner) and p.attr == key
            ]
            if len(made) != 1 or any(not isinstance(p, ast.Name) for p in parts if p not in made):
                return False
        return True

    # -- both arms -----------------------------------------------------------------------------------------------------
    def _calls_differ(self, kind: str, true: Side, false: Side) -> str | None:
        if kind == "buffer" and true.values and false.values:
            first, second = (
                ast.dump(ast.Tuple([ast.Constant(k.arg) for k in c.keywords] + [k.value for k in c.keywords]))
                for c in self.calls
            )
            return None if first == second else "the arms register the buffer with different arguments"
        return None

    def _missing(self, kind: str, names: tuple[str, ...], true: Side, false: Side) -> str | None:
        """What keeps an arm from storing what is there already."""
        for name in names:
            if name in true.values and name in false.values:
                continue
            if kind == "buffer":
                return f"only one arm registers the buffer `{name}`"
            if kind == "copy" and name not in true.values:
                return f"only the other arm copies into `{self.owner}.{name}`"
            if kind == "copy":
                known = self.info is not None and (name in self.info.buffers or bool(self.info.attribute(name)))
                return None if known else f"`{self.owner}.{name}` is not known to be a tensor"
            if self.info is not None and any(self.facts.kinds.of(v).tag is Tag.NONE for v in self.info.attribute(name)):
                return f"`{self.owner}.{name}` may still be None"
            if (
                self.info is None
                or not self.info.attribute(name)
                or self.info.method("__setattr__")
                or self.info.method(name)
            ):
                return f"`{self.owner}.{name}` is not known to be set where the arm that stores it is not taken"
        return None

    def _unfit(self, true: Side, false: Side) -> str | None:
        """Why the arms may not both be evaluated."""
        assert self.function is not None
        live = self.facts.flow(self.function).live_after(self.node)
        for side, body in ((true, self.node.body), (false, self.node.orelse)):
            own = binds(*side.prepared)
            if own & live:
                return f"`{min(own & live)}`, which an arm binds, is used later"
            if any(binds(s) & reads(*body[: i + 1]) for i, s in enumerate(body) if isinstance(s, ast.Assign)):
                return "an arm binds a name that it has read"
            stored = {f"{self.owner}.{n}" for n in side.values}
            for value in list(side.values.values())[1:]:
                if any(isinstance(n, ast.Attribute) and ast.unparse(n) in stored for n in walk(value)):
                    return "an arm reads what it has stored"
            for value in side.values.values():
                effect = self.facts.effects.of([value])
                if not self._light(value) or self._acts(effect):
                    return f"`{ast.unparse(value)}` may cost, raise or act where its arm is not taken"
        return None

    def _shared(self, kind: str, true: Side, false: Side) -> str | None:
        """What is kept as it is given: a graph would keep a copy, which does not follow what the caller does to it."""
        assert self.function is not None
        given = {*self.facts.flow(self.function).parameters} - {self.owner}
        for name, value in [*true.values.items(), *false.values.items()] if kind != "copy" else ():
            held = given & holders([self.facts.kinds.of(value)])
            if held:
                return (
                    f"`{self.owner}.{name}` may become the argument `{min(held)}`, of which a graph would keep a copy"
                )
        return None

    def _acts(self, effect: Effect) -> bool:
        seen = [effect.mutates, effect.stores, effect.io, effect.random, effect.raises, effect.reads, effect.breaks]
        return any(seen)

    def _light(self, e: ast.expr) -> bool:
        """True for names, attributes and numbers, casts, and arithmetic that raises for no value."""
        match e:
            case ast.Name() | ast.Constant():
                return True
            case ast.Attribute():
                return self._light(e.value)
            case ast.UnaryOp():
                return self._light(e.operand)
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                return self._light(e.left) and self._light(e.right)
            case ast.BinOp(op=ast.Div(), right=ast.Constant(value=int() | float() as by)):
                return bool(by) and self._light(e.left)
            case ast.Subscript(slice=ast.Slice()):
                return self._light(e.value) and self.facts.kinds.of(e.value).is_tensor
            case ast.Call(func=func):
                if not all(self._light(a) for a in [*e.args, *(k.value for k in e.keywords)]):
                    return False
                called = self.facts.names.qualified(func)
                if called is not None or not isinstance(func, ast.Attribute):
                    return self._total(torch_api.function(called or ""))
                reduced = func.attr in REDUCTIONS and not e.args and not e.keywords
                return self._light(func.value) and (
                    reduced or func.attr in CASTS or self._total(torch_api.method(func.attr))
                )
        return False

    def _total(self, op: torch_api.Op | None) -> bool:
        return op is not None and op.elementwise and op.total and op.random == "never" and not op.mutates
