"""Whether a tensor that a name holds is only read, in its function and in all that is given it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..craft.helpers import is_helper
from ..trees import walk
from . import torch_api
from .classes import FunctionNode
from .layers import overwrites
from .order import sees
from .values import Tag, Value

if TYPE_CHECKING:
    from . import Facts

_PURE_CALLS = frozenset(
    {"enumerate", "zip", "len", "isinstance", "list", "tuple", "reversed", "int", "max", "min", "sum"}
)
_OPERATORS = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.BoolOp, ast.FormattedValue, ast.If, ast.While, ast.Assert)
_DISPLAYS = (ast.Tuple, ast.List, ast.Starred, ast.IfExp)
_DEPTH = 8
READERS = (
    "_mirror",
    "_numbers",
    "_keep_ints",
    "_kept_ints",
    "_traced",
)  # helpers that give what they are given, or ints
_COLLECTING = frozenset({"append", "appendleft", "extend", "insert", "add", "put", "setdefault"})


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a tensor that is more than reading it.

    Attributes:
        kind: it is `changed`, `kept` by something that lasts, `returned`, or `given` to what is not known.
        text: the same with its place.
    """

    kind: str
    text: str


def changer(name: str, function: FunctionNode, facts: Facts, until: int | None = None) -> str | None:
    """What may change the tensor that the local `name` holds, or keep it for others to change; None where nothing may.

    Names that may share its memory are followed, and so are functions of the file that are given it. What stands below
    the line `until` does not count.
    """
    found = next(fates(name, function, facts, lambda use: until is None or use.lineno <= until), None)
    return found.text if found is not None else None


def changed_in_place(name: str, facts: Facts) -> Iterator[ast.expr]:
    """What the file changes in place under a name: a local, or an attribute of anything."""
    names = facts.names
    places: list[ast.expr] = []
    for call in names.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_") and not call.func.attr.endswith("__"):
            places += (
                call.args[:1] if names.qualified(call.func) else [call.func.value]
            )  # `init.copy_(x, …)`, `x.copy_(…)`
    places += [n.value for n in names.nodes(ast.Subscript) if not isinstance(n.ctx, ast.Load)]
    places += [n.target for n in names.nodes(ast.AugAssign)]
    for place in places:
        while isinstance(place, ast.Subscript) or (isinstance(place, ast.Attribute) and place.attr == "data"):
            place = place.value
        if name in (getattr(place, "attr", None), getattr(place, "id", None)):
            yield place


def fates(
    name: str, function: FunctionNode, facts: Facts, counts: Callable[[ast.Name], object], depth: int = 0
) -> Iterator[Fate]:
    """What becomes of the tensor that the local `name` holds, by uses that count and names that may share it."""
    watched: dict[str, list[ast.Name]] = {name: []}
    seen: set[str] = set()
    while left := set(watched) - seen:
        one = min(left)
        seen.add(one)
        for node in walk(function):
            target = node.target if isinstance(node, ast.AugAssign) else node
            if not isinstance(target, ast.Name) or target.id != one or not counts(target):
                continue
            if one != name and not sees(target, watched[one], facts):
                continue
            if isinstance(node, ast.AugAssign):
                yield Fate("changed", f"`{one}` may be changed on line {node.lineno}")
            elif isinstance(target.ctx, ast.Load):
                found = _Use(target, facts, depth).follow(watched)
                if found is not None:
                    yield found


def fate(expr: ast.expr, facts: Facts) -> tuple[Fate | None, set[str]]:
    """What becomes of the value of an expression where it stands, and the names that are bound to it."""
    watched: dict[str, list[ast.Name]] = {}
    return _Use(expr, facts, 0).follow(watched), set(watched)


class _Use:
    """One use of a tensor, followed outwards through what may share its memory."""

    def __init__(self, node: ast.expr, facts: Facts, depth: int) -> None:
        self.node: ast.AST = node
        self.facts = facts
        self.depth = depth

    def follow(self, watched: dict[str, list[ast.Name]]) -> Fate | None:
        """What becomes of it by the use; what is bound to it is added to the watched names."""
        while True:
            above = self.facts.names.parent(self.node)
            step = self._step(above, watched)
            if not isinstance(step, str):
                return step
            assert above is not None
            self.node = above

    def _step(self, above: ast.AST | None, watched: dict[str, list[ast.Name]]) -> Fate | str | None:
        """None where the use ends well, "on" where its result may share the memory, else what becomes of it."""
        match above:
            case ast.Attribute():
                return self._attribute(above)
            case ast.Subscript() if above.value is self.node:
                return "on" if isinstance(above.ctx, ast.Load) else self._bad("changed", "is assigned to")
            case ast.Subscript() | ast.Slice():
                return None
            case ast.Call():
                return self._call(above, above.args.index(self.node) if self.node in above.args else None, None)
            case ast.keyword():
                call = self.facts.names.parent(above)
                assert isinstance(call, (ast.Call, ast.ClassDef))
                self.node = above
                return self._call(call, None, above.arg) if isinstance(call, ast.Call) else self._bad("kept", "escapes")
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.For() | ast.comprehension():
                return self._bound(above, watched)
            case ast.AugAssign():
                return None  # only the target is changed
            case ast.Expr():
                return None
            case ast.Return():
                return self._bad("returned", "is returned")
        if isinstance(above, _OPERATORS):
            return None
        return "on" if isinstance(above, _DISPLAYS) else self._bad("kept", "escapes")

    def _bad(self, kind: str, what: str) -> Fate:
        return Fate(kind, f"`{ast.unparse(self.node)}` {what} on line {getattr(self.node, 'lineno', 0)}")

    def _bound(self, above: ast.AST, watched: dict[str, list[ast.Name]]) -> Fate | str | None:
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]  # type: ignore[attr-defined]
        for target in targets:
            for part in walk(target):
                if isinstance(part, (ast.Attribute, ast.Subscript)):
                    return self._bad("kept", "is kept")
                if isinstance(part, ast.Name):
                    watched.setdefault(part.id, []).append(part)
        return "on" if isinstance(above, ast.NamedExpr) else None

    def _attribute(self, attribute: ast.Attribute) -> Fate | str | None:
        call = self.facts.names.parent(attribute)
        if isinstance(call, ast.Call) and call.func is attribute:
            op = torch_api.method(attribute.attr)
            if op is None or op.mutates or op.effect or any(self._given(call, name) for name in op.mutates_if):
                return self._bad("changed" if op is not None else "given", f"may be changed by `.{attribute.attr}(…)`")
            self.node = attribute
            return None if op.alias == "fresh" or op.returns == "host" else "on"
        return "on" if torch_api.attribute(attribute.attr) != "host" else None

    def _given(self, call: ast.Call, name: str) -> bool:
        return any(k.arg in (name, None) for k in call.keywords)

    def _call(self, call: ast.Call, place: int | None, keyword: str | None) -> Fate | str | None:
        if call.func is self.node:
            return "on" if isinstance(call.func, ast.Attribute) else self._bad("given", "is called")
        qualified = self.facts.names.qualified(call.func) or ""
        if qualified.startswith("builtins."):
            known = qualified.removeprefix("builtins.") in _PURE_CALLS
            return "on" if known else self._given_to(call)
        op = torch_api.function(qualified)
        if op is None and isinstance(call.func, ast.Attribute) and self.facts.kinds.of(call.func.value).is_tensor:
            op = torch_api.method(call.func.attr)
            if op is not None and op.mutates == ("self",):
                return None  # another tensor is changed
        if op is not None:
            harmless = not op.mutates and not op.effect and not any(self._given(call, n) for n in op.mutates_if)
            if not harmless:
                return self._bad("changed", f"is given to `{qualified}`")
            return "on" if op.alias != "fresh" else None
        return self._own(call, place, keyword)

    def _given_to(self, call: ast.Call) -> Fate:
        collects = isinstance(call.func, ast.Attribute) and call.func.attr in _COLLECTING
        return self._bad("kept" if collects else "given", f"is given to `{ast.unparse(call.func)}`")

    def _own(self, call: ast.Call, place: int | None, keyword: str | None) -> Fate | str | None:
        """A call of a function of the file, which is looked into."""
        target = self.facts.breaks.target(call)
        if target is not None and any(is_helper(target.function, h) for h in READERS):
            return "on"
        module = self.facts.kinds.of(call.func)
        if target is None and module.tag is Tag.MODULE and torch_api.layer(module.detail) is not None:
            return self._layer(call, module)
        if target is None or self.depth >= _DEPTH or any(isinstance(a, ast.Starred) for a in call.args):
            return self._given_to(call)
        names = target.positional
        only = [a.arg for a in target.function.args.kwonlyargs]
        if place is not None:
            keyword = names[place] if place < len(names) else None
        if keyword is None or keyword not in [*names, *only]:
            return self._given_to(call)
        inner = list(fates(keyword, target.function, self.facts, bool, self.depth + 1))
        harm = next((f for f in inner if f.kind != "returned"), None)
        if harm is not None:
            return replace(harm, text=f"{harm.text} in `{target.function.name}`")
        return "on" if inner else None

    def _layer(self, call: ast.Call, module: Value) -> Fate | str | None:
        """A call of a layer of torch."""
        if overwrites(module):
            return self._bad("changed", f"is overwritten by `{ast.unparse(call.func)}`")
        return "on" if self.facts.kinds.of(call).roots else None
