"""Tensors made from Python ints and read back: where they are made, where they are read, and the calls between."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..craft.helpers import is_helper
from ..model import NoFix
from ..trees import named, walk
from .classes import FunctionNode
from .flow import SCOPES
from .twins import Twins, is_size
from .unchanged import READERS, changer
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

MAKERS = frozenset({"torch.tensor", "torch.as_tensor"})
INT64 = frozenset({"torch.int64", "torch.long"})
_MOVES = frozenset({"cuda", "cpu", "long", "to"})
_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Made:
    """`name = torch.tensor(values)`, where the ints are in `depth` lists within each other."""

    statement: ast.Assign
    name: str
    values: ast.expr
    depth: int


@dataclass(frozen=True, slots=True)
class Read:
    """An occurrence of the tensor that may be the ints.

    Attributes:
        node: the occurrence.
        items: the `.item()` of its elements, which ints do not have.
        pairs: the `x[i, j]` of it, which tuples do not take.
        whole: the call in `x.tolist()`.
        depth: how many lists lie around the numbers that are read, None where that does not matter.
        caches: a function that is given numbers is under a decorator that keeps its results.
    """

    node: ast.Name
    items: tuple[ast.Call, ...]
    pairs: tuple[ast.Subscript, ...]
    whole: ast.Call | None
    depth: int | None
    caches: bool = False


@dataclass(frozen=True, slots=True)
class Mirror:
    """All that takes the ints from where tensors are made of them to where these are read.

    Attributes:
        made: the statements that make the tensors.
        reads: the occurrences that are read back.
        taken: the functions that are given the ints beside the tensor of that parameter.
        given: the calls that give them, with the name of the tensor there and that of the parameter.
    """

    made: tuple[Made, ...]
    reads: tuple[Read, ...]
    taken: tuple[tuple[FunctionNode, str], ...]
    given: tuple[tuple[ast.Call, str, str], ...]


class Mirrors:
    """The mirrors of one file."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[tuple[FunctionNode, str], list[tuple[Read, NoFix | None]]] = {}

    @property
    def mirror(self) -> Mirror | None:
        """What one rewrite of the file does; all findings share it."""
        reads = tuple(r for r, chain in self._outcomes if isinstance(chain, _Chain))
        chains = [c for _, c in self._outcomes if isinstance(c, _Chain)]
        if not reads:
            return None
        return Mirror(
            tuple(dict.fromkeys(m for c in chains for m in c.made)),
            reads,
            tuple(dict.fromkeys(t for c in chains for t in c.taken)),
            tuple(dict.fromkeys(g for c in chains for g in c.given)),
        )

    def within(self, function: FunctionNode) -> Iterator[tuple[Read, NoFix | None]]:
        """What is read back in a function, each with the reason why that can not be cured."""
        for read, chain in self._outcomes:
            if self._facts.function_of(read.node) is function:
                yield read, chain if isinstance(chain, NoFix) else None

    def unled(self, function: FunctionNode, name: str) -> Iterator[tuple[Read, NoFix | None]]:
        """The reads of a parameter to which no call in sight hands such a tensor."""
        made = self._creations
        if made and name in self._given_parameters(function, made):
            led = {id(r.node) for r, _ in self._in(function, name, made)}
        else:
            led = set()
        for read, refusal in self._read_back(function, name):
            if id(read.node) not in led:
                yield read, refusal

    @functools.cached_property
    def _outcomes(self) -> list[tuple[Read, _Chain | NoFix]]:
        made = self._creations
        found: list[tuple[Read, _Chain | NoFix]] = []
        if not made:
            return found
        for function in self._facts.names.functions():
            names = {m.name for f, m in made if f is function} | self._given_parameters(function, made)
            for name in sorted(names):
                found += self._in(function, name, made)
        return found

    def _given_parameters(self, function: FunctionNode, made: Sequence[tuple[FunctionNode, Made]]) -> set[str]:
        """The parameters that may be given one of the tensors: those that some call in sight gives a plain name."""
        if not self._facts.calls.callers(function):
            return set()
        return set(self._facts.flow(function).parameters) if made else set()

    # -- where tensors are made ----------------------------------------------------------------------------------------
    @functools.cached_property
    def _creations(self) -> list[tuple[FunctionNode, Made]]:
        """Those whose name is bound nowhere else in the function."""
        found = []
        for function, made in self.makers():
            target = made.statement.targets[0]
            assert isinstance(target, ast.Name)
            binding = self._facts.names.binding(target)
            if binding is not None and binding.single and binding.scope is self._facts.names.opened(function):
                found.append((function, made))
        return found

    def makers(self) -> Iterator[tuple[FunctionNode, Made]]:
        """The statements that make a tensor of ints and give it a name, with the function around them."""
        for call in self._facts.names.nodes(ast.Call):
            if self._facts.names.qualified(call.func) not in MAKERS or not call.args:
                continue
            function = self._facts.function_of(call)
            statement = self._facts.names.statement_of(call)
            depth = self.depth(call.args[0])
            if function is None or depth is None or not self._int64(call) or not isinstance(statement, ast.Assign):
                continue
            target = statement.targets[0]
            if len(statement.targets) == 1 and isinstance(target, ast.Name) and self._moved(statement.value, call):
                yield function, Made(statement, target.id, call.args[0], depth)

    def _int64(self, call: ast.Call) -> bool:
        """True where ints become int64: no other dtype is asked for."""
        if len(call.args) > 1 or any(k.arg is None for k in call.keywords):
            return False
        dtype = next((k.value for k in call.keywords if k.arg == "dtype"), None)
        return dtype is None or self._facts.names.qualified(dtype) in INT64

    def _moved(self, value: ast.expr, call: ast.Call) -> bool:
        """True for the call alone, and for one that is only moved to a device: `torch.tensor(sizes).to(x.device)`."""
        while value is not call:
            if isinstance(value, ast.Call) and value.args and self._is_helper(value):
                value = value.args[0]
                continue
            if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
                return False
            if value.func.attr not in _MOVES or (value.func.attr == "to" and not self._device(value)):
                return False
            value = value.func.value
        return True

    def _device(self, call: ast.Call) -> bool:
        given = [*call.args, *(k.value for k in call.keywords if k.arg in ("device", "non_blocking", "copy"))]
        return len(given) == len(call.args) + len(call.keywords) and all(
            self._facts.kinds.of(g).detail in ("device", "str", "bool") for g in given
        )

    def depth(self, values: ast.expr, tries: int = 4) -> int | None:
        """In how many lists the ints are, None where nothing tells; what is no int is found out in the run."""
        match values:
            case ast.List() | ast.Tuple():
                return self._common(values.elts, tries)
            case ast.ListComp():
                return self._common([values.elt], tries)
            case ast.Name() if tries and (grown := self._grown(values)):
                return self._common(grown, tries - 1)
            case ast.Name() if tries and (held := self._held(values)) is not None:
                return self.depth(held, tries - 1)
            case ast.Subscript() if is_size(values.value, self._facts):
                return 1 if isinstance(values.slice, ast.Slice) else 0
        if is_size(values, self._facts):
            return 1
        if isinstance(values, ast.Name) and self._of_size(values):
            return 0
        value = self._facts.kinds.of(values)
        return 0 if value.tag is Tag.HOST and value.detail in ("int", "") else None

    def _common(self, elements: Sequence[ast.expr], tries: int) -> int | None:
        """One more than the depth of the elements, as far as it is known and the same."""
        found = {self.depth(e, tries) for e in elements} - {None}
        return max(d for d in found if d is not None) + 1 if len(found) == 1 else None

    def _of_size(self, name: ast.Name) -> bool:
        """True for a name that is bound by taking sizes apart alone: `height, width = x.shape[-2:]`."""
        function = self._facts.function_of(name)
        sites = [n for n in named(function, name.id) if not isinstance(n.ctx, ast.Load)] if function else []
        parts = [self._facts.names.parent(site) for site in sites]
        around = [self._facts.names.parent(part) for part in parts if isinstance(part, (ast.Tuple, ast.List))]
        sizes = [a for a in around if isinstance(a, ast.Assign) and is_size(a.value, self._facts)]
        return bool(sites) and len(sizes) == len(sites)

    def _held(self, name: ast.Name) -> ast.expr | None:
        """The expression that a name holds; in `sizes = torch.tensor(sizes)` that of the only other assignment."""
        function, statement = self._facts.function_of(name), self._facts.names.statement_of(name)
        if function is not None and isinstance(statement, ast.Assign):
            sites = [n for n in named(function, name.id) if not isinstance(n.ctx, ast.Load)]
            others = [n for n in sites if n not in statement.targets]
            if len(others) == 1 and len(sites) == 2 and others[0].lineno < statement.lineno:
                before = self._facts.names.parent(others[0])
                return before.value if isinstance(before, ast.Assign) else None
        return self._facts.names.single_value(name)

    def _grown(self, name: ast.Name) -> list[ast.expr]:
        """What is appended to a list that begins empty."""
        made = self._held(name)
        function = self._facts.function_of(name)
        if not isinstance(made, ast.List) or made.elts or function is None:
            return []
        return [
            n.args[0]
            for n in walk(function)
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr == "append"
            and isinstance(n.func.value, ast.Name)
            and n.func.value.id == name.id
            and n.args
        ]

    # -- where they are read -------------------------------------------------------------------------------------------
    def _in(
        self, function: FunctionNode, name: str, made: Sequence[tuple[FunctionNode, Made]]
    ) -> Iterator[tuple[Read, _Chain | NoFix]]:
        """The reads of one local, with the way that the ints take to it."""
        for read, refusal in self._read_back(function, name):
            chain = self._chain(function, name, made, read.depth, self.reach(read.node, function), 0)
            if read.caches:
                refusal = refusal or NoFix("a decorator of what is given the numbers keeps results by them")
            if chain is not None:
                yield read, refusal or chain

    def _read_back(self, function: FunctionNode, name: str) -> list[tuple[Read, NoFix | None]]:
        """The occurrences of a name that are read back, each with the reason why ints can not stand for it."""
        if (function, name) not in self._known:
            self._known[function, name] = list(self._reads(function, name))
        return self._known[function, name]

    def _reads(self, function: FunctionNode, name: str) -> Iterator[tuple[Read, NoFix | None]]:
        if (
            any(is_helper(function, h) for h in READERS)
            or not self._facts.regions.of(function)
            or name in self._facts.flow(function).always_live
        ):
            return
        for node in walk(function):
            if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
                continue
            if self._facts.function_of(node) is not function or self._facts.regions.left_alone(node):
                continue
            if self._mirrored(node):
                continue
            whole = self._whole(node)
            twins = Twins(function, self._facts)
            if whole is None:
                twins.follow(node)
            if whole is None and (not twins.reads or not twins.depths):
                continue
            depth = None if whole is not None else min(twins.depths)
            read = Read(node, tuple(twins.items), tuple(twins.pairs), whole, depth, twins.caches)
            yield read, NoFix(twins.refusal) if twins.refusal else None

    def _mirrored(self, node: ast.Name) -> bool:
        """True for an occurrence that is rewritten already."""
        around = self._facts.names.parent(node)
        return isinstance(around, ast.Call) and self._is_helper(around)

    def _is_helper(self, call: ast.Call) -> bool:
        target = self._facts.calls.target(call)
        return target is not None and any(is_helper(target.function, h) for h in READERS)

    def _whole(self, node: ast.Name) -> ast.Call | None:
        attribute = self._facts.names.parent(node)
        call = self._facts.names.parent(attribute) if isinstance(attribute, ast.Attribute) else None
        is_list = isinstance(attribute, ast.Attribute) and attribute.attr == "tolist"
        return call if is_list and isinstance(call, ast.Call) and call.func is attribute else None

    def reach(self, node: ast.AST, function: FunctionNode) -> int:
        """The last line that may run before the node does: its own, or the end of the outermost loop around it."""
        last = self._facts.names.statement_of(node).end_lineno or 0
        for around in self._facts.names.ancestors(node):
            if around is function:
                break
            if isinstance(around, (ast.For, ast.While, ast.AsyncFor)):
                last = around.end_lineno or last
        return last

    # -- the way of the ints -------------------------------------------------------------------------------------------
    def _chain(
        self,
        function: FunctionNode,
        name: str,
        made: Sequence[tuple[FunctionNode, Made]],
        depth: int | None,
        until: int,
        calls: int,
    ) -> _Chain | NoFix | None:
        """How the ints come to a local of a function; None where no call in sight gives it such a tensor."""
        own = next((m for f, m in made if f is function and m.name == name), None)
        if own is None and (name not in self._facts.flow(function).parameters or calls >= _DEPTH):
            return None
        if own is not None and depth not in (None, own.depth):
            return None
        found = _Chain((own,), (), ()) if own is not None else self._given(function, name, made, depth, calls)
        changed = changer(name, function, self._facts, until) if isinstance(found, _Chain) else None
        return NoFix(changed) if changed else found

    def _given(
        self,
        function: FunctionNode,
        name: str,
        made: Sequence[tuple[FunctionNode, Made]],
        depth: int | None,
        calls: int,
    ) -> _Chain | NoFix | None:
        """The ways through the calls of a function in sight; other calls leave the tensor to be read as it was."""
        if self._rebound(function, name):
            return None
        found: list[_Chain] = []
        refused: NoFix | None = None
        for call in self._facts.calls.callers(function):
            argument = self._argument(call, name)
            caller = self._facts.function_of(call)
            if not isinstance(argument, ast.Name) or caller is None:
                continue
            way = self._chain(caller, argument.id, made, depth, self.reach(call, caller), calls + 1)
            if isinstance(way, _Chain):
                refused = refused or self._untakeable(call, function)
                given = (*way.given, (call, argument.id, name))
                found.append(_Chain(way.made, (*way.taken, (function, name)), given))
            refused = refused or (way if isinstance(way, NoFix) else None)
        if not found or refused:
            return refused
        return _Chain(
            tuple(dict.fromkeys(m for c in found for m in c.made)),
            tuple(dict.fromkeys(t for c in found for t in c.taken)),
            tuple(dict.fromkeys(g for c in found for g in c.given)),
        )

    def _rebound(self, function: FunctionNode, name: str) -> bool:
        stores = named(function, name)
        return any(not isinstance(n.ctx, ast.Load) for n in stores)

    def _argument(self, call: ast.Call, name: str) -> ast.expr | None:
        """What the call gives for the parameter."""
        target = self._facts.calls.target(call)
        if target is None or any(isinstance(a, ast.Starred) for a in call.args):
            return None
        return target.given(call).get(name)

    def _untakeable(self, call: ast.Call, function: FunctionNode) -> NoFix | None:
        """Why a function can not be given one more argument by the call."""
        target = self._facts.calls.target(call)
        if target is None or not target.plain:
            return NoFix(f"nothing tells what `{ast.unparse(call.func)}` runs, so that it could be given the ints too")
        if any(isinstance(n, SCOPES) and n is not function for n in self._facts.names.ancestors(function)) and (
            self._facts.classes.of_function(function) is None
        ):
            return NoFix(f"`{function.name}` is a function within another")
        return None


@dataclass(frozen=True, slots=True)
class _Chain:
    """The way of the ints to one name."""

    made: tuple[Made, ...]
    taken: tuple[tuple[FunctionNode, str], ...]
    given: tuple[tuple[ast.Call, str, str], ...]


__all__ = ["INT64", "MAKERS", "Made", "Mirror", "Mirrors", "Read"]
