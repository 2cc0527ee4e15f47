"""What becomes of the elements of an integer tensor: whether Python ints in their places would give the same."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Literal

from ..trees import walk
from .classes import FunctionNode
from .dimensions import takes_number
from .order import sees
from .values import Tag

if TYPE_CHECKING:
    from . import Facts
    from .calls import Target

# A level (so many axes are indexed, the rest is a tensor or a tuple), or what Python computes from elements.
State = int | Literal["int", "float"]

# They read numbers on the host, or make of them what they make of 0-d int64 tensors.
_SIZED = frozenset(
    {"zeros", "ones", "empty", "full", "rand", "randn", "arange", "linspace", "eye", "split", "narrow", "chunk"}
    | {"view", "reshape", "expand", "repeat", "new_zeros", "new_ones", "new_empty", "new_full", "unflatten", "tile"}
    | {"pad", "interpolate", "roll", "broadcast_to", "tensor", "as_tensor"}
)
_WALKS = frozenset({"builtins.enumerate", "builtins.zip", "builtins.reversed"})
_EXTREMES = ("builtins.max", "builtins.min")
_EXACT = (ast.Add, ast.Sub, ast.Mult)
_DEPTH = 6


class Twins:
    """The uses of what one occurrence of a tensor gives, in one function.

    Attributes:
        refusal: a use that needs a tensor, None where there is none.
        reads: how many uses read a number on the host.
        depths: the numbers of axes that have to be indexed before an element is used as a number.
        items: `x.item()` of elements, which ints do not have.
        pairs: `x[i, j]`, which tuples do not take.
        caches: a function that is given elements is under a decorator that keeps its results.
    """

    def __init__(self, function: FunctionNode, facts: Facts) -> None:
        self.function = function
        self.facts = facts
        self.refusal: str | None = None
        self.reads = 0
        self.depths: set[int] = set()
        self.items: list[ast.Call] = []
        self.pairs: list[ast.Subscript] = []
        self._states: dict[str, State] = {}
        self._bound: set[int] = set()  # the target names whose value is tracked
        self._given: set[str] = set()  # the parameters that are given a part of it
        self.caches = False
        self._roots: frozenset[int] = frozenset()
        self._deepest = 0
        self._calls = 0

    def follow(self, root: ast.expr) -> None:
        """Look at one occurrence of the tensor, and at all that takes part of it."""
        self._element(root, 0)
        self._go_on()

    def follow_numbers(self, roots: Collection[ast.expr]) -> None:
        """Look at what are 0-d tensors themselves, all of which would be ints."""
        self._roots = frozenset(map(id, roots))
        for root in roots:
            self._element(root, 0)
        self._go_on()

    def _go_on(self) -> None:
        """Look at the uses of all names that hold a part of it."""
        done: set[str] = set()
        while self.refusal is None and set(self._states) - done:
            name = min(set(self._states) - done)
            done.add(name)
            for node in self._loads(name):
                given = name in self._given
                if given or sees(node, [n for n in self._stores(name) if id(n) in self._bound], self.facts):
                    self._use(node, self._states[name])
        self._other_bindings()
        if len(self.depths) > 1 or (self.depths and self._deepest > min(self.depths)):
            self.refuse("its elements are used both as rows and as numbers")

    def refuse(self, reason: str) -> None:
        """Keep the first reason."""
        self.refusal = self.refusal or reason

    def _loads(self, name: str) -> Iterator[ast.Name]:
        for node in walk(self.function):
            if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Store):
                yield node

    def _stores(self, name: str) -> Iterator[ast.Name]:
        for node in walk(self.function):
            if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
                yield node

    def _other_bindings(self) -> None:
        """Refuse names that something else binds to other things than ints, and those that outlive the run."""
        flow = self.facts.flow(self.function)
        for name, state in self._states.items():
            unknown = any(id(n) not in self._bound and not self._counts(n) for n in self._stores(name))
            if unknown or name in flow.always_live or (name in flow.parameters and name not in self._given):
                self.refuse(f"`{name}` is bound in another way too")
            row = isinstance(state, int) and state < min(self.depths, default=0)
            if row and any(id(n) not in self._bound for n in self._stores(name)):
                self.refuse(f"`{name}` is bound in another way too")

    def _counts(self, target: ast.Name) -> bool:
        """True for a name that is bound to a Python int there."""
        around = self.facts.names.parent(target)
        if isinstance(around, ast.Assign):
            return self.facts.kinds.of(around.value).detail == "int"
        statement = self.facts.names.parent(around) if isinstance(around, (ast.Tuple, ast.List)) else around
        if isinstance(statement, ast.Assign):
            return is_size(statement.value, self.facts)
        if isinstance(statement, ast.For) and isinstance(statement.iter, ast.Call) and statement.target is target:
            return self.facts.names.qualified(statement.iter.func) == "builtins.range"
        return False

    # -- an expression that is an element, or a number made of some ---------------------------------------------------
    def _use(self, node: ast.expr, state: State) -> None:
        if isinstance(state, int):
            self._element(node, state)
        else:
            self._number(node, state)

    def _row(self, level: int) -> None:
        self._deepest = max(self._deepest, level + 1)

    def _element(self, node: ast.expr, level: int) -> None:
        """An expression that is a row, or an element, after `level` indices."""
        parent = self.facts.names.parent(node)
        match parent:
            case ast.Subscript() if parent.value is node and isinstance(parent.ctx, ast.Load):
                parts = parent.slice.elts if isinstance(parent.slice, ast.Tuple) else [parent.slice]
                if any(self.kind(p) != "int" for p in parts):
                    self.refuse(f"`{ast.unparse(parent)}` is a tensor of its own")
                self._row(level + len(parts) - 1)
                self.pairs += [parent] if isinstance(parent.slice, ast.Tuple) else []
                self._element(parent, level + len(parts))
            case ast.Assign():
                for target in parent.targets:
                    self._bind(target, level)
            case ast.For() | ast.comprehension() if parent.iter is node:
                self._row(level)
                self._bind(parent.target, level + 1)
            case ast.Call() if self.facts.names.qualified(parent.func) in _WALKS and node in parent.args:
                self._walk(parent, node, level)
            case ast.Attribute(attr="item") if isinstance(call := self.facts.names.parent(parent), ast.Call):
                self.items.append(call)
                self.depths.add(level)
                self.reads += 1
            case ast.Call() if self.facts.names.qualified(parent.func) == "builtins.len":
                self._row(level)
            case ast.Call() | ast.keyword() if level < 0 and self._sized(self._call_of(parent)):
                self.reads += 1
            case ast.Call() if level and self.facts.calls.target(parent) is not None:
                self._into(parent, node, level)
            case ast.keyword() if level and self._target(self.facts.names.parent(parent)) is not None:
                self._into(self.facts.names.parent(parent), node, level)
            case _:
                self.depths.add(level)
                self._number(node, "int")

    def _walk(self, call: ast.Call, node: ast.expr, level: int) -> None:
        """`enumerate(x)`, `zip(…, x)`, `reversed(x)` as what a loop runs over."""
        outer = self.facts.names.parent(call)
        name = (self.facts.names.qualified(call.func) or "").removeprefix("builtins.")
        place = 1 if name == "enumerate" else call.args.index(node)
        self._row(level)
        if not isinstance(outer, (ast.For, ast.comprehension)) or outer.iter is not call or call.keywords:
            self.refuse(f"`{ast.unparse(call)}` is used in another way than by a loop")
        elif name == "reversed":
            self._bind(outer.target, level + 1)
        elif isinstance(outer.target, ast.Tuple) and place < len(outer.target.elts):
            self._bind(outer.target.elts[place], level + 1)
        else:
            self.refuse(f"`{ast.unparse(outer.target)}` keeps the elements")

    def _bind(self, target: ast.expr, state: State) -> None:
        if isinstance(target, ast.Name):
            self._bound.add(id(target))
            known = self._states.setdefault(target.id, state)
            if known != state:
                self.refuse(f"`{target.id}` is bound in another way too")
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(state, int):
            self._row(state)
            for part in target.elts:
                self._bind(part, state + 1)
        else:
            self.refuse(f"`{ast.unparse(target)}` keeps an element")

    def _number(self, node: ast.expr, kind: Literal["int", "float"]) -> None:
        """An expression that is a number, or a 0-d tensor in eager code."""
        parent = self.facts.names.parent(node)
        match parent:
            case ast.BinOp():
                self._arithmetic(parent, node)
            case ast.UnaryOp(op=ast.USub()):
                self._number(parent, kind)
            case ast.Compare() if len(parent.ops) == 1:
                self._compared(parent, node)
            case ast.Assign():
                for target in parent.targets:
                    self._bind(target, kind)
            case ast.AugAssign() if isinstance(parent.op, _EXACT) and isinstance(parent.target, ast.Name):
                self._bind(parent.target, kind)
            case ast.keyword():
                self._argument(self.facts.names.parent(parent), node, kind)
            case ast.Call() if node in parent.args:
                self._argument(parent, node, kind)
            case ast.Tuple() | ast.List():
                self._listed(parent, node, kind)
            case _:
                self._read(parent, node, kind)

    def _read(self, parent: ast.AST | None, node: ast.expr, kind: Literal["int", "float"]) -> None:
        """A bound, an index, or a condition."""
        tested = isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is node
        index = isinstance(parent, ast.Subscript) and parent.slice is node and kind == "int"
        if tested or index or isinstance(parent, ast.Slice):
            self.reads += 1
        else:
            self._lost(node)

    def _lost(self, node: ast.AST) -> None:
        around = self.facts.names.parent(node)
        text = ast.unparse(around if isinstance(around, ast.expr) else node)
        self.refuse(f"`{text}` on line {getattr(node, 'lineno', 0)} may need a tensor")

    def _listed(self, display: ast.Tuple | ast.List, node: ast.expr, kind: Literal["int", "float"]) -> None:
        """An element of a size, or of an index."""
        around = self.facts.names.parent(display)
        held = isinstance(around, ast.Assign) or self._target(around) is not None
        size = self._size(display, node)
        if self._roots and not size and isinstance(around, (ast.Call, ast.keyword)):
            self.refuse(f"`{ast.unparse(display)}` on line {display.lineno} holds another tensor too")
        if held and kind == "int" and size:
            self._element(display, min(self.depths) - 1)
            return
        if isinstance(around, ast.Subscript) and around.slice is display and kind == "int":
            self.reads += 1
        elif isinstance(around, ast.keyword):
            self._argument(self.facts.names.parent(around), node, kind)
        elif isinstance(around, ast.Call) and display in around.args:
            self._argument(around, node, kind)
        else:
            self._lost(node)

    def _size(self, display: ast.expr, node: ast.expr) -> bool:
        """True for `(x[0], x[1])`, all of whose parts are numbers of the tensor, or ints."""
        parts = display.elts if isinstance(display, (ast.Tuple, ast.List)) else []
        return bool(parts) and all(p is node or self.kind(p) == "int" or self._beside(p, node) for p in parts)

    def _beside(self, part: ast.expr, node: ast.expr) -> bool:
        """True for another element of the same name, that is indexed as deeply."""
        both = (part, node)
        if not all(isinstance(b, ast.Subscript) and isinstance(b.value, ast.Name) for b in both):
            return False
        names = [b.value.id for b in both]  # type: ignore[attr-defined]
        slices = [b.slice.elts if isinstance(b.slice, ast.Tuple) else [b.slice] for b in both]  # type: ignore[attr-defined]
        return (
            names[0] == names[1] and len(slices[0]) == len(slices[1]) and all(self.kind(i) == "int" for i in slices[0])
        )

    def _target(self, call: ast.AST | None) -> Target | None:
        return self.facts.calls.target(call) if isinstance(call, ast.Call) else None

    def _into(self, call: ast.AST | None, node: ast.expr, state: State) -> None:
        """What a function of the file does with what a call gives it."""
        target = self._target(call)
        name = self.facts.calls.filled(call, node) if isinstance(call, ast.Call) else None
        if target is None or name is None or self._calls >= _DEPTH or not (target.plain or target.cached):
            self._lost(node)
            return
        inner = Twins(target.function, self.facts)
        inner._states, inner._given = {name: state}, {name}
        inner.depths, inner._calls = self.depths, self._calls + 1
        inner._go_on()
        self.reads += inner.reads
        self._deepest = max(self._deepest, inner._deepest)
        self.caches |= inner.caches or not target.plain
        if inner.refusal is not None or inner.items or inner.pairs:
            self.refuse(inner.refusal or f"`{target.function.name}` may be given tensors by others")

    def _argument(self, call: ast.AST | None, node: ast.expr, kind: Literal["int", "float"]) -> None:
        if self._target(call) is not None:
            self._into(call, node, kind)
            return
        name = self.facts.names.qualified(call.func) if isinstance(call, ast.Call) else None
        last = self._torch_name(call)
        bounds = last in ("linspace", "arange")
        if name in ("builtins.range", "builtins.int") or (last in _SIZED and (kind == "int" or bounds)):
            self.reads += 1
        elif isinstance(call, ast.Call) and name in _EXTREMES and self._numbers(call) and kind == "int":
            self._number(call, kind)
        else:
            self._lost(node)

    def _numbers(self, call: ast.Call) -> bool:
        """True for several arguments that would all be ints."""
        return len(call.args) > 1 and not call.keywords and all(self.kind(a) == "int" for a in call.args)

    def _torch_name(self, call: ast.AST | None) -> str:
        """The last part of the name of a function of torch or a method of a tensor; empty for other calls."""
        if not isinstance(call, ast.Call):
            return ""
        name = self.facts.names.qualified(call.func)
        if name is None and isinstance(call.func, ast.Attribute):
            known = self.facts.kinds.of(call.func.value).tag in (Tag.TENSOR, Tag.UNKNOWN)
            return call.func.attr if known and self.facts.calls.target(call) is None else ""
        return name.rpartition(".")[2] if name is not None and name.startswith("torch.") else ""

    def _call_of(self, around: ast.AST) -> ast.AST | None:
        return self.facts.names.parent(around) if isinstance(around, ast.keyword) else around

    def _sized(self, call: ast.AST | None) -> bool:
        """True for a call that takes a size, or amounts for each side."""
        return self._torch_name(call) in _SIZED

    def _compared(self, compare: ast.Compare, node: ast.expr) -> None:
        other = compare.comparators[0] if node is compare.left else compare.left
        above = self.facts.names.parent(compare)
        while isinstance(above, (ast.BoolOp, ast.UnaryOp)):
            above = self.facts.names.parent(above)
        if self.kind(other) is not None and isinstance(above, (ast.If, ast.While, ast.IfExp)):
            self.reads += 1
        elif self.kind(other) is not None or not takes_number(other, self.facts):
            self._lost(node)

    def _arithmetic(self, e: ast.BinOp, node: ast.expr) -> None:
        other = e.right if node is e.left else e.left
        kind, own = self.kind(other), self.kind(node)
        if kind is None:
            if not takes_number(other, self.facts):
                self._lost(node)
            return
        constant = isinstance(other, ast.Constant) and bool(other.value) and node is e.left
        divides = isinstance(e.op, (ast.FloorDiv, ast.Mod)) and constant and kind == own == "int"
        if isinstance(e.op, _EXACT) or divides:
            self._number(e, "float" if "float" in (kind, own) else "int")
        elif isinstance(e.op, ast.Div) and constant:
            self._number(e, "float")
        else:
            self._lost(node)

    def kind(self, e: ast.expr, tries: int = 6) -> Literal["int", "float"] | None:
        """ "int" or "float" for a number that Python computes once elements are ints, None for anything else."""
        if id(e) in self._roots:
            return "int"
        match e:
            case ast.Constant():
                return "int" if type(e.value) is int else "float" if type(e.value) is float else None
            case ast.Name() if e.id in self._states:
                state = self._states[e.id]
                return "int" if isinstance(state, int) else state
            case ast.Name() if self._roots and tries and (held := self.facts.names.single_value(e)) is not None:
                return self.kind(held, tries - 1)
            case ast.Call() if self.facts.names.qualified(e.func) in _EXTREMES and self._numbers(e):
                return "int"
            case ast.BinOp():
                kinds = {self.kind(e.left, tries), self.kind(e.right, tries)}
                return None if None in kinds else "float" if "float" in kinds or isinstance(e.op, ast.Div) else "int"
            case ast.UnaryOp(op=ast.USub()):
                return self.kind(e.operand, tries)
            case ast.Subscript() if isinstance(e.value, ast.Name) and e.value.id in self._states:
                return "int"
        value = self.facts.kinds.of(e)
        if value.tag is Tag.HOST and value.detail in ("int", "float"):
            return "int" if value.detail == "int" else "float"
        return None


def is_size(e: ast.expr, facts: Facts) -> bool:
    """True for `x.shape`, `x.size()`, and slices of them: a tuple of ints."""
    if isinstance(e, ast.Subscript) and isinstance(e.slice, ast.Slice):
        return is_size(e.value, facts)
    called = isinstance(e, ast.Call) and not e.args and isinstance(e.func, ast.Attribute) and e.func.attr == "size"
    return called or (isinstance(e, ast.Attribute) and e.attr == "shape") or facts.kinds.of(e).detail == "size"
