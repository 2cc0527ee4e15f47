"""Breaks that stay, together in one function that Dynamo leaves alone: what moves, what it takes and gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import types, walk
from .classes import FunctionNode
from .driving import Driver
from .extraction import Part, carried_first, order, owner_of
from .flow import binds, reached, reads, walk_scope
from .gain import grad_mode, work
from .once import once
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_REPEATING = (ast.For, ast.While, ast.Try, ast.With, *_COMPREHENSIONS)
_LEAVING = (ast.Yield, ast.YieldFrom, ast.Await, ast.Delete, ast.Global, ast.Nonlocal, ast.AsyncFor, ast.AsyncWith)
_FRAME = frozenset(f"builtins.{n}" for n in ("super", "locals", "vars", "eval", "exec", "globals", "dir"))
MAX_LOST = 3  # tensor operations that may leave the graph with the breaks
MAX_MOVED = 8  # of the same where the frame is skipped as it is; a loop with more is worth taking apart (TR401)
MAX_TAIL = 4  # of what stands behind, where a container of unknown length would be handed to it
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Site:
    """A break.

    Attributes:
        node: what breaks.
        repeated: it stands within a loop, a `try` or a `with`, where the whole frame is skipped for it.
        apart: it stands in a comprehension or in a function that is called, which is compiled when the frame is not.
        looped: it is repeated, and not for a `try` or a `with` alone.
        own: what it is repeated for stands in the function itself, and not in one that it calls.
    """

    node: ast.AST
    repeated: bool
    apart: bool
    looped: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class Gathering:
    """Statements of one function that move into a function of their own.

    Attributes:
        function: where they stand.
        owner: the name of `self` where the new function is a method, else None.
        statements: they follow each other in its body; the last may be its `return`.
        part: the new function; None where they stay in their place, which the driver runs in Python.
        sites: the breaks in them.
        skipped: the whole of `function` is skipped for one of them as it is.
        driver: what `function` becomes where it is compiled itself, and runs them from Python; None where it is not.
    """

    function: FunctionNode
    owner: str | None
    statements: tuple[ast.stmt, ...]
    part: Part | None
    sites: tuple[Site, ...]
    skipped: bool
    driver: Driver | None = None

    @property
    def returns(self) -> bool:
        """True where they end the function."""
        return _returns(self.statements)


@once
def gathering(function: FunctionNode, facts: Facts) -> Gathering | NoFix | None:
    """What moves out of the function, why nothing does, or None where its breaks are fewer than two events.

    One may be enough where the function is compiled itself, see `_worth_driving`.
    """
    if isinstance(function, ast.AsyncFunctionDef) or facts.names.enclosing_function(function) is not None:
        return None
    if not types(function).isdisjoint((ast.Yield, ast.YieldFrom)) and any(
        isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_scope(*function.body)
    ):
        return None
    found = {s: list(sites(s, facts)) for s in function.body}
    hot = [s for s in function.body if found[s]]
    all_sites = tuple(site for s in hot for site in found[s])
    skipped = any(site.repeated for site in all_sites)
    few = events(all_sites) < 2 + skipped
    if few and not _worth_driving(function, all_sites, facts):
        return None
    if any(facts.breaks.cures(s, certain=True) for s in hot):
        return None
    if (few and not skipped) or _no_frames(hot, facts):
        driver = _driver(function, hot, all_sites, True, facts)
        if isinstance(driver, NoFix):
            return driver
        if driver is not None and (driver.pieces or not few):
            owner = owner_of(function, facts)
            return Gathering(function, owner, tuple(hot), None, all_sites, skipped, driver)
    return None if few and not skipped else _moving(function, hot, all_sites, few, facts)


def _moving(
    function: FunctionNode, hot: Sequence[ast.stmt], found: tuple[Site, ...], few: bool, facts: Facts
) -> Gathering | NoFix | None:
    """The breaks with what stands between them, in a function of their own."""
    skipped = any(site.repeated for site in found)
    span = _span(function, hot, facts)
    if isinstance(span, NoFix):
        return span
    refused = _refused(function, span, hot, skipped, facts)
    part = refused or _part(function, span, facts)
    if isinstance(part, NoFix):
        return part
    driver = _driver(function, span, found, False, facts)
    if isinstance(driver, NoFix):
        return driver
    if few and (driver is None or not driver.pieces):
        return None
    left = work([s for s in function.body if s not in span], facts)
    if _by_itself(function, facts) and not (left or _gives_tensor(function, facts)):
        return NoFix("nothing beside them is for the graph to hold")
    return Gathering(function, owner_of(function, facts), tuple(span), part, found, skipped, driver)


def _by_itself(function: FunctionNode, facts: Facts) -> bool:
    """True for a function that nothing compiles or calls, as far as the file says: no layer, and no part of another."""
    region, owner = facts.regions.of(function), facts.classes.of_function(function)
    return region.entry and not region.explicit and (owner is None or not owner.is_module)


def _gives_tensor(function: FunctionNode, facts: Facts) -> bool:
    """True where it returns a tensor, alone or in a tuple, as what is worth compiling does."""
    values = [s.value for s in walk_scope(*function.body) if isinstance(s, ast.Return) and s.value is not None]
    parts = [p for v in values for p in (v.elts if isinstance(v, ast.Tuple) else [v])]
    return any(facts.kinds.of(p).is_tensor for p in parts)


def _worth_driving(function: FunctionNode, found: Sequence[Site], facts: Facts) -> bool:
    """True where even one break is worth running the function in Python, if it can be.

    As it is, a `try` or `with` would have all of it skipped; a break in a function that it calls is met in both; and
    what only functions call that run in Python themselves is a frame of its own.
    """
    if not found or any(site.looped for site in found):
        return False
    homes = [facts.function_of(call) for call in facts.calls.callers(function)]
    driven = bool(homes) and all(h is not None and facts.regions.skipped_alone(h) for h in homes)
    return driven or any(site.repeated or site.apart for site in found)


def _span(function: FunctionNode, hot: Sequence[ast.stmt], facts: Facts) -> list[ast.stmt] | NoFix:
    """The statements that move, which follow each other."""
    body, flow = function.body, facts.flow(function)
    first, last = body.index(hot[0]), body.index(hot[-1])
    if _returns(body[first : last + 1]) or _containers(body[first : last + 1], flow.live_after(body[last]), facts):
        if work(body[last + 1 :], facts) > MAX_TAIL:
            return NoFix("the function returns among them, or a container of unknown length comes out of them")
        last = len(body) - 1
    while first and _prepares(body[first - 1], body[first : last + 1], flow.live_after(body[last]), facts):
        first -= 1
    if not isinstance(facts.drivers.of(function, alone=True), NoFix):
        # Where the function runs in Python, Dynamo looks at the frame of a comprehension by itself.
        first = next((i for i, s in enumerate(body[:first]) if _computes_apart(s, facts)), first)
    return body[first : last + 1]


def _no_frames(span: Sequence[ast.stmt], facts: Facts) -> bool:
    """True where all that is called is known, and is not a function that Dynamo would compile by itself."""
    for n in walk_scope(*span):
        if isinstance(n, (*_COMPREHENSIONS, ast.Lambda)):
            return False
        if isinstance(n, ast.Call) and not _without_frame(n, facts):
            return False
    return True


def _computes_apart(s: ast.stmt, facts: Facts) -> bool:
    """True for a comprehension that calls what is neither of torch nor of the file, such as numpy."""
    calls = [n for c in walk_scope(s) if isinstance(c, _COMPREHENSIONS) for n in walk(c) if isinstance(n, ast.Call)]
    return any(facts.calls.target(n) is None and not _without_frame(n, facts) for n in calls)


def _without_frame(call: ast.Call, facts: Facts) -> bool:
    qualified = facts.names.qualified(call.func)
    if qualified is not None:
        return qualified.startswith(("torch.", "builtins.", "math."))
    base = facts.kinds.of(call.func.value) if isinstance(call.func, ast.Attribute) else None
    return base is not None and (base.tag in (Tag.TENSOR, Tag.HOST, Tag.SEQUENCE) or facts.sites.likely(call))


def _driver(
    function: FunctionNode, span: Sequence[ast.stmt], found_sites: Sequence[Site], inline: bool, facts: Facts
) -> Driver | NoFix | None:
    """The function as an entry that runs in Python; None where it can not be one, or too little would be compiled."""
    found = facts.drivers.of(function, alone=True)
    if isinstance(found, NoFix):
        return None
    moved = [] if inline else list(span)
    inside = {id(n) for s in moved for n in _places(s)}
    roots = {p: [root for root in (*p.statements, p.value) if root is not None] for p in found.pieces}
    nodes = {p: [n for root in roots[p] for n in _places(root)] for p in found.pieces}
    # A break in a function that it calls is one of the piece.
    whole = [p for p in found.pieces if not any(True for root in roots[p] for _ in sites(root, facts))]
    pieces = [p for p in whole if not any(id(n) in inside for n in nodes[p])]
    held = {id(n) for p in pieces for n in nodes[p]}
    lost = [s for s in function.body if (inline or s not in span) and id(s) not in held]
    limit = MAX_MOVED if inline and any(site.repeated for site in found_sites) else MAX_LOST
    if work(lost, facts) - sum(work([p.value], facts) for p in pieces if p.value is not None) > limit:
        return None
    reason = "host" if pieces or not moved or len(moved) < len(function.body) else "whole"
    return facts.drivers.last(replace(found, pieces=tuple(pieces), reason=reason))


def _places(root: ast.AST) -> list[ast.AST]:
    """The statements and expressions of a node, of which each stands in one place only."""
    return [n for n in walk(root) if isinstance(n, (ast.stmt, ast.expr))]


def moved_along(function: FunctionNode, facts: Facts) -> bool:
    """True where all that calls the function moves into a function that Dynamo leaves alone."""
    calls = facts.calls.callers(function)
    homes = {home: gathering(home, facts) for c in calls if (home := facts.function_of(c)) is not None}
    spans = [s for g in homes.values() if isinstance(g, Gathering) and g.part is not None for s in g.statements]
    inside = {id(n) for s in spans for n in walk(s)}
    return bool(calls) and function not in homes and all(id(c) in inside for c in calls)


def _returns(statements: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for s in statements for n in walk_scope(s))


# ---- breaks ----------------------------------------------------------------------------------------------------------
def events(found: Sequence[Site]) -> int:
    """How often Dynamo gives up for them: a skip of the frame comes once, and with it the breaks of other frames.

    One break in the place of a skip alone is no gain: it comes again with each compilation.
    """
    unique = {id(s.node): s for s in found}.values()
    straight = sum(not s.repeated for s in unique)
    return straight + 2 * sum(s.repeated and s.apart for s in unique) + any(s.repeated for s in unique)


def sites(root: ast.AST, facts: Facts) -> Iterator[Site]:
    """The breaks for which no rule has a cure that are reached wherever the statement is, those of callees included."""
    return _visit(root, Site(root, False, False), facts, 0)


def _visit(node: ast.AST, where: Site, facts: Facts, depth: int) -> Iterator[Site]:
    if (facts.breaks.stays(node) or _likely(node, facts)) and not facts.regions.left_alone(node):
        yield replace(where, node=node)
    target = facts.calls.target(node) if isinstance(node, ast.Call) and depth < _DEPTH else None
    function = target.function if target is not None and target.plain else None
    if function is not None and _met_by_compiler(function, facts):
        yield from _called(function, Site(function, where.repeated, True, where.looped, where.own), facts, depth + 1)
    within = where
    if isinstance(node, _REPEATING):
        within = _within(node, where, depth, facts)
    for child in reached(node):
        yield from _visit(child, within, facts, depth)


def _within(node: ast.AST, where: Site, depth: int, facts: Facts) -> Site:
    """Where the parts of a node stand that may run them several times, or has them skipped."""
    repeats = not grad_mode(node, facts)
    return Site(
        node,
        where.repeated or repeats,
        where.apart or isinstance(node, _COMPREHENSIONS),
        where.looped or not isinstance(node, (ast.Try, ast.With)),
        where.own or (repeats and depth == 0),
    )


def _met_by_compiler(function: FunctionNode, facts: Facts) -> bool:
    """True for a function whose body is compiled as it stands where it is called."""
    return function.name != "__init__" and not function.decorator_list and not facts.regions.tells_compiled(function)


def _called(function: FunctionNode, where: Site, facts: Facts, depth: int) -> Sequence[Site]:
    def find() -> Sequence[Site]:
        return [site for s in function.body for site in _visit(s, where, facts, depth)]

    return facts.answer(_called, (where, depth), find)


def _likely(node: ast.AST, facts: Facts) -> bool:
    """`w.item()` of something that nothing else tells of, `a[a > a.mean()]` of a numpy array."""
    match node:
        case ast.Call():
            return facts.sites.likely(node)
        case ast.Subscript():
            return facts.sites.masks(node)
    return False


# ---- what stands in the way ------------------------------------------------------------------------------------------
def _refused(
    function: FunctionNode, span: Sequence[ast.stmt], hot: Sequence[ast.stmt], skipped: bool, facts: Facts
) -> NoFix | None:
    if owner_of(function, facts) is None and facts.names.enclosing_class(function) is not None:
        return NoFix("it stands in a method without `self`")
    for n in walk_scope(*span):
        looks = isinstance(n, ast.Call) and facts.names.qualified(n.func) in _FRAME
        if isinstance(n, _LEAVING) or looks or (isinstance(n, ast.Name) and n.id == "__class__"):
            return NoFix(f"`{ast.unparse(n)}` belongs to its own frame")
        if isinstance(n, ast.Call) and any(k.arg == "stacklevel" for k in n.keywords):
            return NoFix("a message names the place of its caller")
    effect = facts.effects.of(span)
    told = next((i for i in effect.io if i != "print"), None)
    if told is not None:
        return NoFix(f"a record of `{told}` names the function that it comes from")
    heavy = next((n for n in _calls(span, facts) if _heavy(n, facts)), None)
    if heavy is not None:
        return NoFix(f"`{ast.unparse(heavy.func)}` may be much that would leave the graph with the breaks")
    between = [s for s in span if s not in hot]
    limit = MAX_MOVED if skipped else MAX_LOST
    if work(span, facts) > MAX_MOVED or work(between, facts) > limit or any(work([s], facts) > limit for s in hot):
        return NoFix("too much that the graph may hold would leave it with the breaks")
    captured = binds(*span) & facts.flow(function).always_live
    return NoFix(f"`{min(captured)}` is shared with a nested function, or global") if captured else None


def _heavy(call: ast.Call, facts: Facts) -> bool:
    """True for a layer, for something callable that nothing tells of, and for a function that computes much."""
    func, home = call.func, facts.function_of(call)
    if facts.kinds.of(func).tag is Tag.MODULE or isinstance(func, ast.Subscript):  # `self.layers[0](x)`
        return True
    target = facts.calls.target(call)
    if target is not None:
        body = target.function.body  # where a break in a loop has it skipped, nothing of it is in a graph
        skipped = any(s.own for b in body for s in sites(b, facts))
        return not skipped and work(body, facts) > MAX_LOST
    if home is None:
        return False
    local = isinstance(func, ast.Name) and func.id in facts.names.bound_in(home)
    owner = owner_of(home, facts)
    own = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == owner
    return local or own


def _calls(nodes: Sequence[ast.AST], facts: Facts, depth: int = 0) -> Iterator[ast.Call]:
    """The calls of the nodes and of the file's functions that they call."""
    for n in (n for root in nodes for n in walk(root) if isinstance(n, ast.Call)):
        yield n
        target = facts.calls.target(n) if depth < _DEPTH else None
        if target is not None:
            yield from _calls(target.function.body, facts, depth + 1)


def _prepares(s: ast.stmt, span: Sequence[ast.stmt], live: frozenset[str] | set[str], facts: Facts) -> bool:
    """`kept = []`, `pool = Pool()` that only the statements read: it holds what they put into it."""
    if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name) or not binds(s) <= reads(*span) - live:
        return False
    match s.value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=func):
            return facts.names.qualified(func) in facts.classes.by_path
    return False


def _containers(span: Sequence[ast.stmt], live: frozenset[str] | set[str], facts: Facts) -> bool:
    """True where a list, dict or set that the statements make is read behind them."""
    for n in walk_scope(*span):
        if isinstance(n, (ast.Assign, ast.AnnAssign)) and n.value is not None and binds(n) & live:
            value = facts.kinds.of(n.value)
            if value.tag is Tag.SEQUENCE and value.items is None:
                return True
    return False


# ---- what goes in and out --------------------------------------------------------------------------------------------
def _part(function: FunctionNode, span: Sequence[ast.stmt], facts: Facts) -> Part | NoFix:
    flow = facts.flow(function)
    returns = _returns(span)
    after = frozenset[str]() if returns else frozenset(flow.live_after(span[-1]))
    bound = flow.bound_before(span[0])
    inside = facts.names.bound_in(function)
    wanted = flow.entering(list(span), after) & (reads(*span) | binds(*span)) & set(inside)
    results = order(span, binds(*span) & after)
    ends = bound if returns else flow.bound_after(list(span), bound)
    unsure = next((n for n in [*sorted(wanted - set(bound)), *(r for r in results if r not in ends)]), None)
    if unsure is not None:
        return NoFix(f"`{unsure}` may be unbound")
    names = [n for n in order(span, wanted) if n != owner_of(function, facts)]
    base = f"_{function.name.strip('_')}_on_host"
    return Part(base, carried_first(names, results), tuple(results))
