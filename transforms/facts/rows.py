"""Code that computes row by row with the rows that a mask selects."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from . import torch_api
from .flow import binds, reads

if TYPE_CHECKING:
    from . import Facts

# Methods that treat each row by itself, whatever they are given behind it.
_ROWWISE = frozenset(
    {"to", "float", "half", "type", "type_as", "unsqueeze", "contiguous", "detach", "clone", "bfloat16"}
)
_LAST = frozenset({"chunk", "softmax", "log_softmax", "split", "sum", "mean", "norm", "amax"})
_FLAT = frozenset({"reshape", "view"})
_COUNTS = frozenset({"numel", "size"})


class Rows:
    """What is done with the rows at some places.

    Attributes:
        places: the names of the places.
        rows: names that hold something for each place.
        sizes: names of sizes that count the places.
        added: the values of `index_add_` calls.
        stored: the values of `out[rows] = value`, each with its target.
        single: the places name each row once.
        evaluating: layers count as they are in evaluation mode.
    """

    def __init__(self, places: Iterable[str], single: bool, facts: Facts, evaluating: bool = False) -> None:
        self.facts = facts
        self.places = list(places)
        self.rows = set(self.places)
        self.sizes: set[str] = set()
        self.single = single
        self.evaluating = evaluating
        self.added: list[ast.expr] = []
        self.stored: list[tuple[ast.Assign, ast.Subscript]] = []

    def statement(self, s: ast.stmt) -> NoFix | None:
        """Why the statement is not row by row; what it binds for each row is noted."""
        used = reads(s) & self.rows
        match s:
            case ast.If():
                if reads(s.test) & self.rows and not self._emptiness(s.test):
                    return NoFix(f"`{ast.unparse(s.test)}` decides on the rows")
                return next((r for b in (*s.body, *s.orelse) if (r := self.statement(b)) is not None), None)
            case ast.Assign(targets=[ast.Subscript() as target]) if used:
                return self._store(s, target)
            case ast.Assign(targets=[target], value=ast.Attribute(attr="shape", value=ast.Name(id=name))) if used:
                counts = target.elts[0] if isinstance(target, (ast.Tuple, ast.List)) else target
                self.sizes |= binds(counts) if name in self.rows else set()
                return None
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute(attr="size"), args=[axis])) if used:
                self.sizes |= binds(target) if ast.unparse(axis) == "0" else set()
                return None
            case ast.Assign(targets=[target]) if used:
                if not self.rowwise(s.value):
                    return self._mixes(s.value)
                self.rows |= binds(target)
                return None
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="index_add_")) as call):
                return self._add(call)
            case ast.Continue() | ast.Pass():
                return None
        return NoFix(f"`{ast.unparse(s).splitlines()[0]}` does something else with the rows") if used else None

    def _mixes(self, e: ast.expr) -> NoFix:
        return NoFix(f"`{ast.unparse(e)}` is not known to treat each row by itself")

    def _emptiness(self, test: ast.expr) -> bool:
        """`rows.numel() > 0`, `len(rows) == 0`, `rows.shape[0]`: what is asked is the number of rows alone."""
        for node in walk(test):
            if isinstance(node, ast.Name) and node.id in self.rows:
                above = self.facts.names.parent(node)
                sized = isinstance(above, ast.Attribute) and above.attr in (*_COUNTS, "shape")
                counted = isinstance(above, ast.Call) and self.facts.names.qualified(above.func) == "builtins.len"
                if not sized and not counted:
                    return False
        return bool(reads(test) & self.rows)

    def _add(self, call: ast.Call) -> NoFix | None:
        given = call.args
        by_rows = len(given) == 3 and isinstance(given[1], ast.Name) and given[1].id in self.places
        first = by_rows and isinstance(given[0], ast.Constant) and given[0].value == 0 and not call.keywords
        assert isinstance(call.func, ast.Attribute)
        if not first or not isinstance(call.func.value, ast.Name) or call.func.value.id in self.rows:
            return NoFix(f"`{ast.unparse(call.func)}(…)` adds in another way than by rows")
        if not self.rowwise(given[2]):
            return self._mixes(given[2])
        self.added.append(given[2])
        return None

    def _store(self, s: ast.Assign, target: ast.Subscript) -> NoFix | None:
        single = self.single and isinstance(target.slice, ast.Name) and target.slice.id in self.places
        if not single or not isinstance(target.value, ast.Name) or target.value.id in self.rows:
            return NoFix(f"`{ast.unparse(target)}` may name a row twice")
        if not self.rowwise(s.value):
            return self._mixes(s.value)
        self.stored.append((s, target))
        return None

    # -- row by row ----------------------------------------------------------------------------------------------------
    def rowwise(self, e: ast.expr) -> bool:
        """True where the value has a row for each place, made of that row alone."""
        if not reads(e) & self.rows:
            return True
        match e:
            case ast.Name():
                return True
            case ast.Subscript():
                return self._gathers(e)
            case ast.BinOp(op=ast.MatMult()):
                return self.rowwise(e.left) and not reads(e.right) & self.rows
            case ast.BinOp():
                return self.rowwise(e.left) and self.rowwise(e.right)
            case ast.UnaryOp(op=ast.USub()):
                return self.rowwise(e.operand)
            case ast.Tuple():
                return all(self.rowwise(x) for x in e.elts)
            case ast.Call():
                return self._call(e)
        return False

    def _gathers(self, e: ast.Subscript) -> bool:
        """`x[rows]`, `x[i, j, None]`, `x[None, rows]`."""
        parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
        placed = [p for p in parts if isinstance(p, ast.Name) and p.id in self.places]
        rest = [p for p in parts if p not in placed]
        plain = all(isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value in (None, ...)) for p in rest)
        return bool(placed) and plain and not reads(e.value) & self.rows

    def _call(self, call: ast.Call) -> bool:
        given = [*call.args, *(k.value for k in call.keywords)]
        name = self.facts.names.qualified(call.func)
        if name is not None and not name.startswith("."):
            op = torch_api.function(name)
            linear = name == "torch.nn.functional.linear" and not any(reads(a) & self.rows for a in given[1:])
            elementwise = op is not None and op.elementwise and not op.mutates
            last = name.rpartition(".")[2] in _LAST and self._last_axis(call, given[1:])
            last = last or (name == "torch.nn.functional.pad" and len(given) > 1 and _pads_last(given[1]))
            return (linear or elementwise or last) and all(self.rowwise(a) for a in given)
        if isinstance(call.func, ast.Attribute) and reads(call.func.value) & self.rows:
            return self.rowwise(call.func.value) and self._method(call, call.func.attr, given)
        effect = self.facts.effects.of([call])
        mixes = bool(effect.random or effect.state) and not self.evaluating
        return not (effect.stores or effect.io or mixes) and all(self.rowwise(a) for a in given)

    def _method(self, call: ast.Call, method: str, given: Sequence[ast.expr]) -> bool:
        op = torch_api.method(method)
        if method in _FLAT:
            return bool(given) and (ast.unparse(given[0]) == "-1" or bool(reads(given[0]) & self.sizes))
        if method == "permute":
            order = given[0].elts if given and isinstance(given[0], ast.Tuple) else given
            return bool(order) and ast.unparse(order[0]) == "0"
        if method == "flatten":
            return len(given) == 1 and isinstance(given[0], ast.Constant) and given[0].value != 0
        if method in _LAST:
            return self._last_axis(call, given)
        known = method in _ROWWISE or (op is not None and op.elementwise and not op.mutates)
        return known and all(self.rowwise(a) for a in given)

    def _last_axis(self, call: ast.Call, given: Sequence[ast.expr]) -> bool:
        """True where the axis is written as the last one."""
        axes = [k.value for k in call.keywords if k.arg in ("dim", "axis")] or list(given[-1:])
        return len(axes) == 1 and ast.unparse(axes[0]) == "-1"


def _pads_last(widths: ast.expr) -> bool:
    """True for `(left, right)`: the last axis alone is padded."""
    return isinstance(widths, (ast.Tuple, ast.List)) and len(widths.elts) == 2
