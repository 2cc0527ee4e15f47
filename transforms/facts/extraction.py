"""A region with a loop as a function of its own, and the loop's body as another: what they take and give back."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .changing import changing_state, changing_text, function_body, grown, root_name, runs_over_numbers_read
from .classes import FunctionNode
from .flow import binds, own_jumps, reads, walk_scope
from .gain import grad_mode, moved_part, one_call, statements_around, work, work_around
from .trips import bindings
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

Loop = ast.For | ast.While
_FRAME = frozenset({"locals", "vars", "eval", "exec", "globals", "dir"})


@dataclass(frozen=True, slots=True)
class Part:
    """One of the two functions.

    Attributes:
        base: what to call it, where the file does not use that name.
        parameters: the locals that it takes, under their own names (without `self`).
        results: the locals that it returns, in this order.
    """

    base: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """A loop that is taken apart.

    Attributes:
        loop: the loop.
        function: the function that holds it.
        owner: the name of `self` where the new functions are methods, else None.
        region: the function that holds the loop; None where there is nothing around the loop that could be captured.
        body: the function that holds the body; None where the body is one call already.
        size: how many statements of the body move; those behind stay in the loop.
        given: an argument of the first statement behind them that is computed by the body's function.
    """

    loop: Loop
    function: FunctionNode
    owner: str | None
    region: Part | None
    body: Part | None
    size: int
    given: ast.expr | None = None

    @property
    def changes(self) -> tuple[str, ...]:
        """What the rewrite changes for a caller: nothing."""
        return ()


def extraction(loop: Loop, facts: Facts) -> Extraction | NoFix | None:
    """How the loop is taken apart, or why it is not; None where nothing would be gained."""
    function = facts.function_of(loop)
    assert function is not None
    size, given = moved_part(loop, facts)
    moved = loop.body[:size]
    nodes: list[ast.AST] = [*moved, *([given] if given is not None else [])]
    body_gains = work(nodes, facts) > 0 and not one_call(moved, given, facts)
    region_gains = work_around(loop, function, facts) > 0
    if not body_gains and not region_gains:
        return None
    refused = _refused(loop, function, facts) or (_body_refused(loop, moved, given, facts) if body_gains else None)
    if refused is not None:
        return refused
    owner = owner_of(function, facts)
    body = _body_part(loop, moved, given, function, owner, facts) if body_gains else None
    region = _region_part(loop, function, owner, facts) if region_gains else None
    for part in (body, region):
        if isinstance(part, NoFix):
            return part
    assert not isinstance(body, NoFix)
    assert not isinstance(region, NoFix)
    return Extraction(loop, function, owner, region, body, size if body else 0, given if body else None)


# ---- what stands in the way ------------------------------------------------------------------------------------------
def _refused(loop: Loop, function: FunctionNode, facts: Facts) -> NoFix | None:
    flow, names = facts.flow(function), facts.names
    if isinstance(function, ast.AsyncFunctionDef):
        return NoFix("it stands in a coroutine")
    if names.enclosing_function(function) is not None or (
        owner_of(function, facts) is None and facts.names.enclosing_class(function) is not None
    ):
        return NoFix("it stands in a nested function, or in a method without `self`")
    for node in walk_scope(*loop.body, *loop.orelse):
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete)):
            return NoFix(f"its body has a `{_word(node)}`")
        if isinstance(node, ast.Name) and node.id in _FRAME and names.qualified(node) == f"builtins.{node.id}":
            return NoFix(f"`{node.id}()` looks at its own frame")
        if isinstance(node, ast.Call) and any(k.arg == "stacklevel" for k in node.keywords):
            return NoFix("a message names the place of its caller")
        if isinstance(node, ast.GeneratorExp) and not isinstance(names.parent(node), ast.Call):
            return NoFix("a generator may outlive the trip that makes it")
    if not all(isinstance(n, (ast.Name, ast.Tuple, ast.List, ast.Store)) for n in _target_nodes(loop)):
        return NoFix("its target is more than names")
    captured = binds(loop) & flow.always_live
    if captured:
        return NoFix(f"`{min(captured)}` is shared with a nested function, or global")
    caught = _caught(loop, facts) & binds(loop)
    if caught:
        return NoFix(f"`{min(caught)}` is read after an exception that ends the loop")
    exits = [j for j in own_jumps(loop.body) if isinstance(j, ast.Break)]
    return NoFix("its `break` would have to cross the border of a function") if exits else None


def _caught(loop: Loop, facts: Facts) -> set[str]:
    """The names that may be read after an exception from the loop, which keeps its functions from returning."""
    function = facts.function_of(loop)
    assert function is not None
    found: set[str] = set()
    for around in statements_around(loop, facts):
        if isinstance(around, ast.Try):
            found |= reads(*around.handlers, *around.finalbody) | facts.flow(function).live_after(around)
        elif isinstance(around, (ast.With, ast.AsyncWith)) and not grad_mode(around, facts):
            found |= facts.flow(function).live_after(around)
    return found


def _target_nodes(loop: Loop) -> list[ast.AST]:
    return list(walk(loop.target)) if isinstance(loop, ast.For) else []


def _word(node: ast.AST) -> str:
    return {"YieldFrom": "yield", "Delete": "del"}.get(type(node).__name__, type(node).__name__.lower())


def _body_refused(loop: Loop, moved: Sequence[ast.stmt], given: ast.expr | None, facts: Facts) -> NoFix | None:
    growing = grown(moved, facts)
    if growing is not None:
        return NoFix(f"`{growing}` grows with each trip, and each length would compile the body again")
    inner = runs_over_numbers_read(moved, facts)
    if inner is not None:
        return NoFix(
            f"the loop inside it on line {inner.lineno} runs over numbers read out of a tensor, and others would "
            "compile the body again"
        )
    behind = loop.body[len(moved) :]
    held = {
        root_name(n.func.value)
        for s in behind
        for n in walk_scope(s)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
    }
    held |= {
        root_name(n)
        for s in behind
        for n in walk_scope(s)
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
    }
    used = reads(*moved) | (reads(given) if given is not None else set())
    kept = sorted(n for n in held & used if n in binds(*function_body(loop, facts)) and _container(n, moved, facts))
    if kept:
        return NoFix(f"`{kept[0]}` grows with each trip, and each length would compile the body again")
    if behind and any(True for _ in own_jumps(moved)):
        return NoFix("its `continue` skips statements that stay in the loop")
    changing = changing_state(moved, facts)
    if changing is not None:
        return NoFix(f"`{changing}` changes with each trip, and each value would compile the body again")
    texts = changing_text(loop, moved, facts)
    if texts is not None:
        return NoFix(
            f"`{texts}` is another string or number of a layer in each trip, and each would compile the body again"
        )
    return None


def _container(name: str, moved: Sequence[ast.stmt], facts: Facts) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and facts.kinds.of(n).tag is Tag.SEQUENCE
        for s in moved
        for n in walk_scope(s)
    )


# ---- what goes in and out --------------------------------------------------------------------------------------------
def _body_part(
    loop: Loop,
    moved: Sequence[ast.stmt],
    given: ast.expr | None,
    function: FunctionNode,
    owner: str | None,
    facts: Facts,
) -> Part | NoFix:
    flow = facts.flow(function)
    behind: list[ast.AST] = [*loop.body[len(moved) :], *([loop.test] if isinstance(loop, ast.While) else [])]
    after = flow.live_after(loop) | reads(*behind, *loop.orelse)
    targets = binds(loop.target) if isinstance(loop, ast.For) else set()
    carried = flow.entering(list(moved), frozenset(after)) - targets
    out = frozenset(after | carried)
    tail = reads(given) if given is not None else set()
    entering = flow.entering(list(moved), out | tail)
    bound = flow.bound_before(loop.body[0])
    results = list(order(moved, binds(*moved) & out))
    wanted = order(
        [*moved, *([given] if given is not None else [])],
        (entering & _touched([*moved, *([given] if given is not None else [])])) - {owner},
    )
    wanted = [n for n in wanted if n in facts.names.bound_in(function)]
    unsure = next((n for n in wanted if n not in bound), None)
    if unsure is not None:
        return NoFix(f"`{unsure}` may be unbound where a trip begins")
    ends = [flow.bound_after(list(moved), bound), *(flow.bound_before(j) for j in own_jumps(moved))]
    unsure = next((n for n in results if any(n not in e for e in ends)), None)
    if unsure is not None:
        return NoFix(f"`{unsure}` may be unbound where a trip ends")
    return Part(part_names(loop, function)[1], carried_first(wanted, results), tuple(results))


def _region_part(loop: Loop, function: FunctionNode, owner: str | None, facts: Facts) -> Part | NoFix:
    flow = facts.flow(function)
    after = flow.live_after(loop)
    entering = flow.entering([loop], frozenset(after))
    bound = flow.bound_before(loop)
    wanted = [n for n in order([loop], (entering & _touched([loop])) - {owner}) if n in facts.names.bound_in(function)]
    results = order([loop], binds(loop) & after)
    runs = isinstance(loop, ast.For) and bool(bindings(loop, facts))
    inner = (
        flow.bound_after(loop.body, bound | (binds(loop.target) if isinstance(loop, ast.For) else set()))
        if runs
        else bound
    )
    unsure = next((n for n in results if n not in bound and n not in inner), None)
    if unsure is not None:
        return NoFix(f"`{unsure}` is unbound where the loop runs no time")
    wanted = [n for n in wanted if n in bound or n not in results or not runs]
    unsure = next((n for n in wanted if n not in bound), None)
    if unsure is not None:
        return NoFix(f"`{unsure}` may be unbound where the loop begins")
    return Part(part_names(loop, function)[0], carried_first(wanted, results), tuple(results))


def carried_first(wanted: Sequence[str], results: Sequence[str]) -> tuple[str, ...]:
    """Parameters in an order of their own: those that come back first, as they come back."""
    return (*(n for n in results if n in wanted), *(n for n in wanted if n not in results))


def _touched(nodes: Sequence[ast.AST]) -> set[str]:
    return reads(*nodes) | binds(*nodes)


def order(nodes: Sequence[ast.AST], names: Iterable[str]) -> list[str]:
    """The names in the order in which they first appear."""
    chosen = set(names)
    found = sorted(
        (n.lineno, n.col_offset, n.id)
        for root in nodes
        for n in walk(root)
        if isinstance(n, ast.Name) and n.id in chosen
    )
    return list(dict.fromkeys(name for *_, name in found))


def owner_of(function: FunctionNode, facts: Facts) -> str | None:
    """The name of `self` in a plain method that never rebinds it."""
    if facts.classes.of_function(function) is None:
        return None
    decorators = {facts.names.qualified(d) for d in function.decorator_list}
    positional = [*function.args.posonlyargs, *function.args.args]
    if (
        decorators & {"builtins.staticmethod", "builtins.classmethod"}
        or not positional
        or positional[0].arg in binds(*function.body)
    ):
        return None
    return positional[0].arg


def part_names(loop: Loop | None, function: FunctionNode) -> tuple[str, str]:
    """What to call the two functions: `_run_layers` and `_layer_step` for `for layer in self.layers`."""
    word = function.name.strip("_")
    word = "loop" if word in ("forward", "call", "step") else word
    item, group = word, word
    if isinstance(loop, ast.For):
        target = loop.target
        if isinstance(target, (ast.Tuple, ast.List)) and target.elts:
            counted = (
                isinstance(loop.iter, ast.Call)
                and isinstance(loop.iter.func, ast.Name)
                and loop.iter.func.id == "enumerate"
            )
            target = target.elts[-1 if counted else 0]
        if isinstance(target, ast.Name) and len(target.id.strip("_")) > 2 and target.id not in ("idx", "index", "step"):
            item = group = target.id.strip("_")
            group = f"{item}s"
        held = [n for n in walk(loop.iter) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)]
        if held and held[0].attr.endswith("s") and not isinstance(loop.iter, ast.Call):
            group = held[0].attr.strip("_")
    return f"_run_{group}", f"_{item}_step"


__all__ = ["Extraction", "Part", "carried_first", "extraction", "order", "owner_of", "part_names"]
