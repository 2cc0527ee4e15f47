"""Facts about one file, each computed when first asked for. Rules ask; they hold no analysis of their own."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..model import Finding, RuleSettings
from ..source import Source
from .breaks import Breaks
from .calls import Calls
from .classes import Classes, FunctionNode
from .counters import Counters
from .driving import Drivers
from .effects import Effects
from .flow import Flow
from .flow import reads as names_read  # a module of this package is called `reads`
from .held_numbers import Numbers
from .helpers import Helpers
from .hoists import Hoists
from .kept_ints import Keepers
from .kinds import Kinds
from .masks import Masks
from .mirrors import Mirrors
from .names import Names
from .regions import Regions
from .scalars import Scalars
from .scopes import Scope
from .sinks import Sinks
from .sites import Sites
from .stores import Stores
from .threads import Threads

if TYPE_CHECKING:
    from ..rule import Rule


Answer = TypeVar("Answer")


class Facts:
    """Everything that rules may ask about one source."""

    def __init__(self, source: Source, settings: RuleSettings | None = None, names: Names | None = None) -> None:
        self.source = source
        self.settings = settings or RuleSettings()
        self.names = names or Names(source)  # what names mean
        self.found: Sequence[Finding] = ()  # what the other rules found, for those that are asked last
        self.given_names: dict[tuple[str, object], str] = {}  # new names that the cuts of this source hand out
        self.unsettled = 0  # how often a question was met that is just being answered
        self._answers: dict[object, dict[object, Any]] = {}
        self._compiled: dict[ast.AST, bool] = {}
        self._functions: dict[Scope, FunctionNode | None] = {}
        self._flows: dict[FunctionNode, Flow] = {}

    @functools.cached_property
    def classes(self) -> Classes:
        """The classes of the file."""
        return Classes(self.names, self.settings.modules)

    @functools.cached_property
    def calls(self) -> Calls:
        """The call graph of the file."""
        return Calls(self.names, self.classes)

    @functools.cached_property
    def regions(self) -> Regions:
        """What may run compiled."""
        observed = self.settings.observed
        ran = {name: calls.root for name, calls in observed.calls.items()} if observed is not None else {}
        return Regions(self.names, self.classes, self.calls, ran, self.settings.compiled)

    @functools.cached_property
    def kinds(self) -> Kinds:
        """What expressions are."""
        return Kinds(self)

    @functools.cached_property
    def effects(self) -> Effects:
        """What code changes."""
        return Effects(self)

    @functools.cached_property
    def breaks(self) -> Breaks:
        """What breaks the graph for certain."""
        return Breaks(self)

    @functools.cached_property
    def counters(self) -> Counters:
        """What compiled entries count on their instances."""
        return Counters(self)

    @functools.cached_property
    def drivers(self) -> Drivers:
        """What compiled entries can drive from Python."""
        return Drivers(self)

    @functools.cached_property
    def hoists(self) -> Hoists:
        """What compiled entries can decide before the graph."""
        return Hoists(self)

    @functools.cached_property
    def threads(self) -> Threads:
        """What callees read on the host, and functions above them know."""
        return Threads(self)

    @functools.cached_property
    def helpers(self) -> Helpers:
        """What the file's own functions do to a graph."""
        return Helpers(self)

    @functools.cached_property
    def sinks(self) -> Sinks:
        """What only writes to the outside."""
        return Sinks(self)

    @functools.cached_property
    def sites(self) -> Sites:
        """What ends a graph, certain or not."""
        return Sites(self)

    @functools.cached_property
    def mirrors(self) -> Mirrors:
        """Which tensors are made of Python ints and read back."""
        return Mirrors(self)

    @functools.cached_property
    def kept_ints(self) -> Keepers:
        """Which tensors could carry the ints that they are made of."""
        return Keepers(self)

    @functools.cached_property
    def held_numbers(self) -> Numbers:
        """Which numbers modules hold in tensors."""
        return Numbers(self)

    @functools.cached_property
    def masks(self) -> Masks:
        """What is done by masks."""
        return Masks(self)

    @functools.cached_property
    def scalars(self) -> Scalars:
        """What numbers read out of tensors meet."""
        return Scalars(self)

    @functools.cached_property
    def stores(self) -> Stores:
        """Branches that decide what is stored."""
        return Stores(self)

    def findings(self, rule: Rule, node: ast.AST) -> Sequence[Finding]:
        """What a rule finds at a node."""
        if not rule.anywhere and not self.may_compile(node):
            return ()
        if rule.last:
            return tuple(rule.find(node, self))
        return self.answer(rule, node, lambda: tuple(rule.find(node, self)))

    def may_compile(self, node: ast.AST) -> bool:
        """True for a node that may run compiled, and is not left alone there."""
        if node not in self._compiled:
            definition = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            region = self.regions.of(node if definition else self.function_of(node))
            self._compiled[node] = bool(region) and (definition or not self.regions.left_alone(node))
        return self._compiled[node]

    def answer(self, question: object, about: object, find: Callable[[], Answer]) -> Answer:
        """What `find` gives, which is called once.

        It is called again where what it asks is just being found out, as of functions that call each other.
        """
        answers = self._answers.setdefault(question, {})
        if about in answers:
            known: Answer = answers[about]
            return known
        before = self.unsettled
        found = find()
        if self.unsettled == before:
            answers[about] = found
        return found

    def flow(self, function: FunctionNode) -> Flow:
        """Liveness and definite assignment within a function."""
        if function not in self._flows:
            self._flows[function] = Flow(function)
        return self._flows[function]

    def perhaps_unbound(self, statement: ast.stmt, nodes: Sequence[ast.AST]) -> set[str]:
        """The names that nodes of a statement read, and that some path to it does not bind."""
        function = self.function_of(statement)
        if function is None:
            return set()
        sure = self.flow(function).bound_before(statement)
        return names_read(*nodes) & set(self.names.bound_in(function)) - set(sure)

    def function_of(self, node: ast.AST) -> FunctionNode | None:
        """The `def` that evaluates the node, lambdas and comprehensions looked through; None at module level."""
        scope = self.names.scope_of(node)
        if scope not in self._functions:
            function = self.names.enclosing_function(node)
            while function is not None and not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                function = self.names.enclosing_function(function)
            self._functions[scope] = function
        return self._functions[scope]
