"""Whole numbers that a module keeps in 0-d tensors, as buffers that are not saved, and reads back on every call.

The constructor makes such a tensor of a Python number; the same number can be kept beside it.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..craft.helpers import is_helper
from ..model import NoFix
from ..trees import walk
from .classes import ClassInfo, FunctionNode, is_attribute_of
from .flow import binds
from .mirrors import INT64, MAKERS
from .twins import Twins
from .unchanged import changed_in_place
from .whole import Whole

if TYPE_CHECKING:
    from . import Facts

Line = tuple[ast.Assign, str]  # a statement of the constructor, and the assignment that belongs above it

_BUFFERS = frozenset({"torch.nn.Buffer", "torch.nn.parameter.Buffer"})
_PLAIN = (ast.Constant, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.USub)
_EXACT = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)
_RESETTING = frozenset({"__init__", "_init_weights", "reset_parameters", "_reset_parameters"})


@dataclass(frozen=True, slots=True)
class Form:
    """What gives the number of a tensor without the tensor.

    Attributes:
        text: an expression of Python numbers.
        lines: what has to be kept for it while the constructor runs.
        beside: attributes of the same kind beside which numbers have to be kept for it.
    """

    text: str
    lines: tuple[Line, ...] = ()
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """An attribute that holds a number in a tensor, and the statement of the constructor that sets it."""

    name: str
    statement: ast.stmt
    form: Form


@dataclass(frozen=True, slots=True)
class Computed:
    """A call of a method that makes a number of attributes and of the shapes of what it is given.

    Attributes:
        call: the call.
        method: the method.
        shaped: the parameters of which it reads the shape alone.
        follows: the attributes that the number follows from.
    """

    call: ast.Call
    method: FunctionNode
    shaped: tuple[str, ...]
    follows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldNumbers:
    """One rewrite of a file.

    Attributes:
        held: the attributes beside which numbers are kept, with the class.
        reads: the occurrences of such that are read back.
        calls: the calls that give a number.
        items: `.item()` of them.
    """

    held: tuple[tuple[ClassInfo, Held], ...]
    reads: tuple[ast.Attribute, ...]
    calls: tuple[Computed, ...]
    items: tuple[ast.Call, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    reads: tuple[ast.Attribute, ...]
    calls: tuple[Computed, ...]
    items: tuple[ast.Call, ...]

    @property
    def roots(self) -> list[ast.Attribute | ast.Call]:
        return [*self.reads, *(c.call for c in self.calls)]


class Numbers:
    """The numbers that the modules of one file hold in tensors."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._whole = Whole(facts, self.held)
        self._of_class: dict[int, dict[str, Held]] = {}

    @functools.cached_property
    def plan(self) -> HeldNumbers | None:
        """What one rewrite of the file does; all findings share it."""
        groups = [g for g, refusal in self._outcomes if refusal is None]
        reads = tuple(dict.fromkeys(r for g in groups for r in g.reads))
        calls = tuple({c.call: c for g in groups for c in g.calls}.values())
        asked: dict[tuple[int, str], tuple[ClassInfo, Held]] = {}
        for node, names in [*((r, (r.attr,)) for r in reads), *((c.call, c.follows) for c in calls)]:
            owner = self._facts.classes.owner(node)
            assert owner is not None
            wanted = [*names]
            while wanted:
                held = self.held(owner[0])[wanted.pop()]
                asked[id(owner[0]), held.name] = owner[0], held
                wanted += held.form.beside
        items = tuple(dict.fromkeys(i for g in groups for i in g.items))
        return HeldNumbers(tuple(asked.values()), reads, calls, items) if asked else None

    def within(self, function: FunctionNode) -> Iterator[tuple[ast.expr, NoFix | None]]:
        """What is read back in a method, each with the reason why that can not be cured."""
        for group, refusal in self._outcomes:
            for root in group.roots:
                if self._facts.function_of(root) is function:
                    yield root, refusal

    @functools.cached_property
    def _outcomes(self) -> list[tuple[_Group, NoFix | None]]:
        found = []
        for info in self._facts.classes.by_node.values():
            for method in info.methods.values() if self.held(info) else ():
                found += self._in(info, method)
        return found

    # -- what is held --------------------------------------------------------------------------------------------------
    def held(self, info: ClassInfo) -> dict[str, Held]:
        """The attributes of a class that hold numbers in tensors from its constructor on."""
        if id(info) not in self._of_class:
            self._of_class[id(info)] = self._held(info) if info.is_module and "__init__" in info.methods else {}
        return self._of_class[id(info)]

    def _held(self, info: ClassInfo) -> dict[str, Held]:
        found: dict[str, Held] = {}
        forms: dict[str, Form] = {}
        for statement in info.methods["__init__"].body:
            kept = self._set(statement, info)
            form = self._form(kept[1], forms, found) if kept is not None else None
            if kept is not None and form is not None and len(info.attribute(kept[0])) == 1:
                found[kept[0]] = Held(kept[0], statement, form)
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            made = self._form(statement.value, forms, found) if isinstance(statement, ast.Assign) else None
            for name in binds(statement):
                forms.pop(name, None)
            if isinstance(statement, ast.Assign) and isinstance(target, ast.Name) and made is not None:
                twin = self._facts.names.fresh(f"{target.id}_int")
                forms[target.id] = Form(twin, (*made.lines, (statement, f"{twin} = {made.text}")), made.beside)
        steady = {n: h for n, h in found.items() if not info.is_rebound(n) and not self._changed(n)}
        return {n: h for n, h in steady.items() if set(h.form.beside) <= set(steady)}

    def _set(self, statement: ast.stmt, info: ClassInfo) -> tuple[str, ast.expr] | None:
        """The attribute that a statement sets, and its value."""
        me = self._facts.classes.owner(statement)
        match statement:
            case ast.Assign(targets=[ast.Attribute() as target]) if me and is_attribute_of(target, me[1]):
                return target.attr, statement.value
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="register_buffer"), args=[ast.Constant(), value, *_])):
                name = statement.value.args[0]  # type: ignore[attr-defined]
                return (str(name.value), value) if str(name.value) in info.buffers else None
        return None

    def _form(self, value: ast.expr, forms: dict[str, Form], held: dict[str, Held]) -> Form | None:
        """How Python makes the number of a 0-d int64 tensor, None for anything else."""
        match value:
            case ast.Name():
                return forms.get(value.id)
            case ast.Attribute(value=ast.Name()) if value.attr in held:
                owner = self._facts.classes.owner(value)
                own = owner is not None and is_attribute_of(value, owner[1])
                return Form(ast.unparse(beside(value)), beside=(value.attr,)) if own else None
            case ast.BinOp() if isinstance(value.op, _EXACT):
                sides = [self._form(s, forms, held) or self._number(s, forms, held) for s in (value.left, value.right)]
                made = any(self._form(s, forms, held) for s in (value.left, value.right))
                if not made or sides[0] is None or sides[1] is None:
                    return None
                left, right = (ast.parse(s.text, mode="eval").body for s in sides if s is not None)
                return Form(
                    ast.unparse(ast.BinOp(left, value.op, right)),
                    (*sides[0].lines, *sides[1].lines),
                    (*sides[0].beside, *sides[1].beside),
                )
            case ast.Call(args=[given, *_]) if self._facts.names.qualified(value.func) in _BUFFERS:
                return self._form(given, forms, held)
            case ast.Call(args=[given]) if self._facts.names.qualified(value.func) in MAKERS:
                words = {k.arg: k.value for k in value.keywords}
                whole = "dtype" not in words or self._facts.names.qualified(words["dtype"]) in INT64
                return self._number(given, forms, held) if whole and not words.keys() - {"dtype", "device"} else None
        return None

    def _number(self, given: ast.expr, forms: dict[str, Form], held: dict[str, Held]) -> Form | None:
        """An expression of Python numbers, as far as the text tells; its type is asked for when it is read."""
        for node in walk(given):
            tensor = (isinstance(node, ast.Name) and node.id in forms) or (
                isinstance(node, ast.Attribute) and node.attr in held
            )
            if tensor or not isinstance(node, (*_PLAIN, ast.operator)):
                return None
        return Form(ast.unparse(given))

    def _changed(self, name: str) -> bool:
        """True where the file changes the tensor in place, but for what sets it to its first value."""
        return any(
            getattr(self._facts.function_of(place), "name", None) not in _RESETTING
            for place in changed_in_place(name, self._facts)
            if isinstance(place, ast.Attribute)
        )

    def _saved(self, held: Held) -> bool:
        """True for a buffer of the state_dict."""
        for call in (n for n in walk(held.statement) if isinstance(n, ast.Call)):
            registers = isinstance(call.func, ast.Attribute) and call.func.attr == "register_buffer"
            if registers or self._facts.names.qualified(call.func) in _BUFFERS:
                word = next((k.value for k in call.keywords if k.arg == "persistent"), None)
                return not (isinstance(word, ast.Constant) and word.value is False)
        return False

    # -- where they are read -------------------------------------------------------------------------------------------
    def _in(self, info: ClassInfo, method: FunctionNode) -> list[tuple[_Group, NoFix | None]]:
        """The numbers that are read back in a method: all together where that goes, else each by itself."""
        owner = self._facts.classes.owner(method.body[0])
        if method.name == "__init__" or owner is None or not self._facts.regions.of(method):
            return []
        held = self.held(info)
        reads = [
            n
            for n in walk(method)
            if is_attribute_of(n, owner[1]) and n.attr in held and isinstance(n.ctx, ast.Load) and self._free(n, method)
        ]
        calls = [c for n in walk(method) if isinstance(n, ast.Call) and (c := self._computed(n, info, method))]
        found = [self._outcome(info, method, reads, calls)]
        if found[0] is not None and found[0][1] is not None:
            found = [self._outcome(info, method, [r], []) for r in reads]
            found += [self._outcome(info, method, [], [c]) for c in calls]
        return [f for f in found if f is not None]

    def _free(self, node: ast.expr, method: FunctionNode) -> bool:
        """True where the method itself may run the occurrence in compiled code, and it is not rewritten already."""
        around = self._facts.names.parent(node)
        target = self._facts.calls.target(around) if isinstance(around, ast.Call) else None
        done = target is not None and is_helper(target.function, "_traced")
        chosen = isinstance(around, ast.IfExp) and self._facts.regions.asks_compiling(around.test)
        own = self._facts.function_of(node) is method and not self._facts.regions.left_alone(node)
        return own and not done and not chosen

    def _computed(self, call: ast.Call, info: ClassInfo, method: FunctionNode) -> Computed | None:
        target = self._facts.calls.target(call)
        if target is None or not target.plain or target.owner is not info or not self._free(call, method):
            return None
        made = self._whole.made(target.function, info)
        if made is None or call.keywords or not all(isinstance(a, ast.Name) for a in call.args):
            return None
        parameters = [a.arg for a in [*target.function.args.posonlyargs, *target.function.args.args]][1:]
        if made.shaped != set(parameters) or len(call.args) != len(parameters):
            return None
        return Computed(call, target.function, tuple(parameters), tuple(sorted(made.follows)))

    def _outcome(
        self, info: ClassInfo, method: FunctionNode, reads: Sequence[ast.Attribute], calls: Sequence[Computed]
    ) -> tuple[_Group, NoFix | None] | None:
        roots: list[ast.expr] = [*reads, *(c.call for c in calls)]
        twins = Twins(method, self._facts)
        twins.follow_numbers(roots)
        if not roots or not twins.reads:
            return None
        group = _Group(tuple(reads), tuple(calls), tuple(twins.items))
        saved = sorted({n for n in self._asked(group) if self._saved(self.held(info)[n])})
        if saved:
            return group, NoFix(
                f"`{saved[0]}` is saved with the module, so that a checkpoint may load another number into it",
                "keep it as an int, or register it with `persistent=False`",
            )
        if twins.caches or twins.refusal:
            return group, NoFix(twins.refusal or "a decorator of what is given the numbers keeps results by them")
        return group, None

    def _asked(self, group: _Group) -> set[str]:
        return {r.attr for r in group.reads} | {n for c in group.calls for n in c.follows}


def beside(tensor: ast.Attribute) -> ast.Attribute:
    """Where the number of a tensor is kept: `self._stride_int` for `self.stride`."""
    return ast.Attribute(tensor.value, number_name(tensor.attr), ast.Load())


def number_name(name: str) -> str:
    """The attribute for the number of the tensor in the attribute `name`."""
    return f"_{name.strip('_')}_int"
