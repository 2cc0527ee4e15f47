"""Loops that make Dynamo skip the frame: written out trip by trip, or taken apart into functions of their own."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .changing import outliving
from .constants import UNDECIDED, decide
from .driving import Driver
from .extraction import Extraction, extraction
from .flow import SCOPES, binds, own_jumps, walk_scope
from .gain import grad_mode, statements_around
from .trips import Binding, Item, bindings, module_list

if TYPE_CHECKING:
    from . import Facts

Loop = ast.For | ast.While
MAX_NESTED_EXITS = 4


@dataclass(frozen=True, slots=True)
class Unrolling:
    """A loop that is written out.

    Attributes:
        loop: the loop.
        trips: what each trip binds the target's names to.
        assigned: names that every trip assigns, because substituting the element for them would not be the same.
        kept: names that are read after the loop and get their last value there.
        lists: module lists whose length is that which `__init__` gives them.
    """

    loop: ast.For
    trips: tuple[Binding, ...]
    assigned: frozenset[str]
    kept: frozenset[str]
    lists: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[str, ...]:
        """What the rewrite changes for a caller."""
        return tuple(f"length: layers added to `{held}` after its construction are not run" for held in self.lists)


def evaluated(loop: Loop) -> list[ast.AST]:
    """What must not break the graph; at the test of a `while` Dynamo breaks and goes on (torch 2.13)."""
    return list(loop.body)


def cure(loop: Loop, facts: Facts) -> Unrolling | Extraction | Driver | NoFix | None:
    """The cure of a loop with a break that stays, when loops inside it and the cures of other rules have had theirs."""
    if isinstance(loop, ast.For) and bindings(loop, facts) == ():
        return None  # it never runs
    found = _in_place(loop, facts)
    if one_break(found, facts):
        return found
    function = facts.function_of(loop)
    assert function is not None
    driver = facts.drivers.of(function)
    return found if isinstance(driver, NoFix) else facts.drivers.last(driver)


def _in_place(loop: Loop, facts: Facts) -> Unrolling | Extraction | NoFix | None:
    """The cure of a loop that leaves the function around it to the compiler."""
    for inner in walk_scope(*loop.body):
        if isinstance(inner, (ast.For, ast.While)) and facts.breaks.remaining(
            evaluated(inner), first_values(inner, facts)
        ):
            found = study(inner, facts)
            if found is not None:
                reason = found.reason if isinstance(found, NoFix) else "it comes first"
                return NoFix(f"the loop inside it on line {inner.lineno} breaks as well: {reason}")
    found = study(loop, facts)
    first = next(iter(facts.breaks.cures(loop, certain=True)), None)
    if first is not None and found is not None:
        return NoFix(f"{first.code} has a fix in it, which comes first")
    return found


def one_break(outcome: Unrolling | Extraction | Driver | NoFix | None, facts: Facts) -> bool:
    """True where at most one break comes in the place of the skipped frame, so that nothing has to outweigh it."""
    if isinstance(outcome, Driver):
        return True
    if not isinstance(outcome, Unrolling) or outcome.changes:
        return False
    body = outcome.loop.body
    return sum(len(facts.breaks.certain(body, [trip])) for trip in first_values(outcome.loop, facts)) <= 1


def study(loop: Loop, facts: Facts) -> Unrolling | Extraction | NoFix | None:
    """The cure of a loop whose body keeps a break, or why there is none; None where nothing would be gained."""
    unrolled = unrolling(loop, facts) if isinstance(loop, ast.For) else NoFix("it is a `while` loop")
    if isinstance(unrolled, Unrolling) and not unrolled.lists:
        return unrolled
    extracted = extraction(loop, facts)
    if isinstance(unrolled, Unrolling):
        return unrolled if isinstance(extracted, NoFix) else extracted
    if isinstance(extracted, NoFix) and isinstance(loop, ast.For) and bindings(loop, facts) is not None:
        return NoFix(f"not unrolled: {unrolled.reason}; not extracted: {extracted.reason}", extracted.remedy)
    return extracted


def first_values(loop: Loop, facts: Facts) -> list[Mapping[str, object]]:
    """What is known of the names that each trip binds; of a `range` or `enumerate` of unknown length, the start."""
    if isinstance(loop, ast.While):
        return []
    known = bindings(loop, facts)
    if known is not None:
        return [{name: item.value for name, item in trip if item.literal} for trip in known]
    call, target = loop.iter, loop.target
    if not isinstance(call, ast.Call):
        return []
    name = facts.names.qualified(call.func)
    if name == "builtins.enumerate" and isinstance(target, (ast.Tuple, ast.List)) and target.elts:
        target, begin = target.elts[0], call.args[1] if len(call.args) > 1 else None
    elif name == "builtins.range":
        begin = call.args[0] if len(call.args) > 1 else None
    else:
        return []
    start = decide(begin, facts, {}) if begin is not None else 0
    return [{target.id: start}] if isinstance(target, ast.Name) and start is not UNDECIDED else []


# ---- unrolling ------------------------------------------------------------------------------------------------------
def unrolling(loop: ast.For, facts: Facts) -> Unrolling | NoFix:
    """The loop written out, or why it is not."""
    trips = bindings(loop, facts)
    if trips is None:
        return NoFix("its trip count is not known")
    if len(trips) > facts.settings.max_unroll:
        return NoFix(f"it runs {len(trips)} times (max-unroll is {facts.settings.max_unroll})")
    if any(
        isinstance(a, (ast.Try, ast.With, ast.AsyncWith)) and not grad_mode(a, facts)
        for a in statements_around(loop, facts)
    ):
        return NoFix("it stands in a `try` or `with` statement, which Dynamo leaves as a whole")
    if any(isinstance(a, (ast.For, ast.While)) for a in statements_around(loop, facts)) and list(
        own_jumps(loop.orelse)
    ):
        return NoFix("its `else` clause leaves the loop around it")
    lines = ((loop.body[-1].end_lineno or 0) - loop.body[0].lineno + 1) * len(trips)
    if lines > facts.settings.max_unrolled_lines:
        return NoFix(f"it would be {lines} lines long (max-unrolled-lines is {facts.settings.max_unrolled_lines})")
    warned = next(
        (
            n
            for s in loop.body
            for n in walk_scope(s)
            if isinstance(n, ast.Call) and facts.names.qualified(n.func) == "warnings.warn"
        ),
        None,
    )
    if warned is not None and len(trips) > 1:
        return NoFix("a warning that is shown once per place would be shown once per copy")
    changing = outliving(loop, facts)
    if changing is not None:
        return NoFix(f"`{changing}` changes with each trip, and each value would compile the code around it again")
    refused = _jumps_refused(loop, trips, facts)
    return refused or _written(loop, trips, facts)


def _written(loop: ast.For, trips: tuple[Binding, ...], facts: Facts) -> Unrolling:
    function = facts.function_of(loop)
    assert function is not None
    flow = facts.flow(function)
    names = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    live = {n for n in names if n in flow.live_after(loop)}
    live |= {n for n in names if any(isinstance(x, ast.Name) and x.id == n for s in loop.orelse for x in walk(s))}
    caught = any(isinstance(a, ast.Try) for a in statements_around(loop, facts))
    assigned = {n for n in names if n in flow.always_live or n in binds(*loop.body) or (caught and n in live)}
    assigned |= {n for n in names if not _substitutable(n, loop, trips, facts)}
    assigned &= live | flow.always_live | {n.id for s in loop.body for n in walk(s) if isinstance(n, ast.Name)}
    lists = [
        ast.unparse(n) for n in walk(loop.iter) if isinstance(n, ast.Attribute) and module_list(n, facts) is not None
    ]
    return Unrolling(loop, trips, frozenset(assigned), frozenset(live - assigned), tuple(dict.fromkeys(lists)))


def _substitutable(name: str, loop: ast.For, trips: tuple[Binding, ...], facts: Facts) -> bool:
    """True where an element may stand for every read of the name."""
    items = [item for trip in trips for n, item in trip if n == name]
    uses = [n for s in loop.body for n in walk(s) if isinstance(n, ast.Name) and n.id == name]
    if any(not _plain(item) for item in items):
        return False
    if any(not item.literal for item in items) and len(uses) > 2:
        return False
    return all(_replaceable(use, all(i.literal for i in items), facts) for use in uses)


def _plain(item: Item) -> bool:
    """A place, or a literal that needs no parentheses anywhere."""
    return (
        not item.literal
        or isinstance(item.value, (str, bool))
        or (isinstance(item.value, (int, float)) and not item.text.startswith("-"))
    )


def _replaceable(use: ast.Name, literal: bool, facts: Facts) -> bool:
    parent = facts.names.parent(use)
    if not isinstance(use.ctx, ast.Load):
        return False
    if literal and (
        isinstance(parent, ast.Attribute)
        or (
            isinstance(parent, (ast.Call, ast.Subscript))
            and (parent.func if isinstance(parent, ast.Call) else parent.value) is use
        )
    ):
        return False
    if literal and isinstance(parent, ast.Compare) and any(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops):
        return False
    here: ast.AST | None = parent
    while here is not None and not isinstance(here, ast.stmt):
        # What runs later sees the last value of a variable; an f-string may quote its own text (`{i=}`).
        if isinstance(here, (*SCOPES, ast.GeneratorExp, ast.FormattedValue)):
            return False
        if isinstance(here, (ast.ListComp, ast.SetComp, ast.DictComp)) and any(
            isinstance(n, ast.Name) and n.id == use.id for g in here.generators for n in walk(g.target)
        ):
            return False
        here = facts.names.parent(here)
    return True


# ---- jumps that an unrolled loop has to do without ------------------------------------------------------------------
def _jumps_refused(loop: ast.For, trips: tuple[Binding, ...], facts: Facts) -> NoFix | None:
    """Why the loop's `break` and `continue` cannot become branches."""
    exits = jumps = 0
    for trip in trips:
        known = {name: item.value for name, item in trip if item.literal and name not in binds(*loop.body)}
        counted = _open_jumps(loop.body, known, facts)
        if isinstance(counted, NoFix):
            return counted
        exits, jumps = exits + counted.count("break"), jumps + counted.count("continue")
    if exits and jumps:
        return NoFix("both `break` and `continue` stand under conditions")
    if exits > MAX_NESTED_EXITS:
        return NoFix(f"its `break` would nest {exits} branches")
    return None


def _open_jumps(body: Sequence[ast.stmt], known: Mapping[str, object], facts: Facts) -> list[str] | NoFix:
    """The jumps of one trip that stand under conditions that only running it decides."""
    found: list[str] = []
    for i, s in enumerate(body):
        if isinstance(s, (ast.Break, ast.Continue)):
            return found
        inner = list(own_jumps([s]))
        if not inner:
            continue
        word = "break" if isinstance(inner[0], ast.Break) else "continue"
        if not isinstance(s, ast.If):
            return NoFix(f"its `{word}` stands in a `{type(s).__name__.lower()}` statement")
        value = decide(s.test, facts, known)
        if value is not UNDECIDED:
            arm = _open_jumps([*(s.body if value else s.orelse), *body[i + 1 :]], known, facts)
            return arm if isinstance(arm, NoFix) else found + arm
        arms = [a for a in (s.body, s.orelse) if a and isinstance(a[-1], (ast.Break, ast.Continue))]
        if len(arms) != 1 or len(inner) != 1:
            return NoFix(f"its `{word}` is not the end of the one arm that leaves")
        found.append(word)
    return found


__all__ = ["Driver", "Extraction", "Loop", "Unrolling", "cure", "evaluated", "first_values", "one_break"]
