"""Entries that stay in Python: they drive a loop that breaks, and what lies between the breaks is compiled."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from .classes import FunctionNode
from .flow import binds, walk_scope
from .gain import work
from .pieces import Piece, Search
from .regions import COMPILE, GRAD_MODES

if TYPE_CHECKING:
    from . import Facts

Loop = ast.For | ast.While
_FRAME = frozenset({"locals", "vars", "eval", "exec", "globals", "dir", "super"})


@dataclass(frozen=True, slots=True)
class Driver:
    """An entry that is left out of the graph alone, with the functions that it calls for what can be captured.

    Attributes:
        function: the entry.
        owner: the name of `self` where the new functions are methods, else None.
        module: it is a method of a `torch.nn.Module`.
        decorated: a decorator stands above it, which makes a frame of its own.
        pieces: what becomes functions, in order.
        reason: why it stays in Python. A `loop` breaks, or breaks nothing but would be `unrolled` for each of its
            lengths; it does something on the `host`, and parts around it are compiled; or it does so as a `whole`.
    """

    function: FunctionNode
    owner: str | None
    module: bool
    decorated: bool
    pieces: tuple[Piece, ...]
    reason: str = "loop"

    @property
    def changes(self) -> tuple[str, ...]:
        """What the rewrite changes for a caller: nothing."""
        return ()


class Drivers:
    """The entries of one file that can drive their loops."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[tuple[FunctionNode, frozenset[ast.AST]], Driver | NoFix] = {}

    def of(
        self, function: FunctionNode, alone: bool = False, stays: frozenset[ast.AST] = frozenset()
    ) -> Driver | NoFix:
        """How the function drives its loops, or why it does not.

        `alone`: also where nothing of it can be captured; `stays`: loops that run in Python, though nothing breaks.
        """
        key = function, stays
        if key not in self._known:
            self._known[key] = self._refused(function) or self._plan(function, stays)
        found = self._known[key]
        called = any(
            not self._facts.regions.skipped_alone(t.function)
            and t.function.name != "__init__"
            and work(t.function.body, self._facts) > 0
            for _, t in self._facts.calls.callees(function)
        )
        if isinstance(found, Driver) and not (found.pieces or called or alone):
            return NoFix("there is nothing between the breaks that could be captured")
        return found

    def _plan(self, function: FunctionNode, stays: frozenset[ast.AST]) -> Driver:
        facts = self._facts
        info = facts.classes.of_function(function)
        owner = facts.flow(function).parameters[0] if info is not None else None
        pieces = tuple(Search(function, owner, facts, stays).pieces())
        module = info is not None and info.is_module
        return Driver(function, owner, module, bool(function.decorator_list), pieces, "unrolled" if stays else "loop")

    def _refused(self, function: FunctionNode) -> NoFix | None:
        facts = self._facts
        if isinstance(function, ast.AsyncFunctionDef):
            return NoFix("it stands in a coroutine")
        info = facts.classes.of_function(function)
        if facts.names.enclosing_function(function) is not None or (
            info is None and facts.names.enclosing_class(function) is not None
        ):
            return NoFix("it stands in a nested function")
        if not self._entry(function):
            return NoFix("compiled code of the file calls this function, whose graph an eager part would cut")
        for node in walk_scope(*function.body):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)):
                return NoFix("it is a generator, or rebinds outer names")
            if isinstance(node, ast.Name) and node.id in (*_FRAME, "__class__") and node.id not in binds(function):
                return NoFix(f"`{node.id}` looks at its own frame")
            if isinstance(node, ast.Call) and any(k.arg == "stacklevel" for k in node.keywords):
                return NoFix("a message names the place of its caller")
        captured = binds(*function.body) & facts.flow(function).always_live
        if captured:
            return NoFix(f"`{min(captured)}` is shared with a nested function, or global")
        if info is not None and (
            not facts.flow(function).parameters or facts.flow(function).parameters[0] in binds(*function.body)
        ):
            return NoFix("it has no `self`, or rebinds it")
        return self._decorators(function, info is not None and info.is_module)

    def _decorators(self, function: FunctionNode, module: bool) -> NoFix | None:
        for decorator in function.decorator_list:
            head = decorator.func if isinstance(decorator, ast.Call) else decorator
            known = self._facts.names.qualified(head)
            whole = isinstance(decorator, ast.Call) and any(k.arg == "fullgraph" for k in decorator.keywords)
            if known in COMPILE and not whole:
                continue
            if known in GRAD_MODES and module:
                continue
            return NoFix(f"it is decorated with `{ast.unparse(decorator)}`")
        return None

    def _entry(self, function: FunctionNode) -> bool:
        """True where nothing that is compiled with it calls the function."""
        facts = self._facts
        if facts.regions.of(function).entry:
            return True
        homes = [facts.function_of(call) for call in facts.calls.callers(function)]
        return bool(homes) and all(h is not None and facts.regions.skipped_alone(h) for h in homes)

    def last(self, driver: Driver) -> Driver | NoFix:
        """The driver, unless other rules have fixes in it: they do not look at code that stays in Python."""
        function, breaks = driver.function, self._facts.breaks
        first = next((f for s in function.body for f in breaks.cures(s, certain=True)), None)
        return driver if first is None else NoFix(f"{first.code} has a fix in `{function.name}`, which comes first")
