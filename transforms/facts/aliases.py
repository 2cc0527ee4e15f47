"""Can it be seen that a graph gives a copy where a branch gives a tensor that something else holds as well."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .classes import FunctionNode
from .flow import binds_surely
from .unchanged import Fate, fate, fates
from .values import ELSEWHERE, Value

if TYPE_CHECKING:
    from . import Facts

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_MAX_CALLS = 4  # how far results are followed outwards through callers


def seen_alias(name: str, values: Sequence[Value], node: ast.If, facts: Facts) -> NoFix | None:
    """Why it would be seen that `name`, of these values in the arms of `node`, is always a tensor of its own.

    A tensor that may come out of code which is not known counts as a new one.
    """
    held = holders(values)
    if held:
        harm = _after(name, node, held, facts) or _source_changed(held, node, facts)
        return _refusal(name, _owner(held), harm) if harm else None
    for other in _sharers(name, node, facts):
        harm = _clash(name, other, node, facts)
        if harm is not None:
            return _refusal(name, f"`{other}`", harm)
    return _kept_too(name, node, facts)


def seen_result(what: str, values: Sequence[Value], node: ast.If | ast.IfExp, facts: Facts) -> NoFix | None:
    """The same of what `node` returns, or gives as an expression."""
    function = facts.function_of(node)
    held = holders(values)
    if function is None:
        return None
    if not held:
        return _kept_and_returned(what, node, function, facts) if isinstance(node, ast.If) else None
    if isinstance(node, ast.If):
        harm = _returned(function, held, facts)
    else:
        harm = _used(node, held, facts, _MAX_CALLS) or _source_changed(held, node, facts)
    return _refusal(what, _owner(held), harm) if harm else None


def _kept_too(name: str, node: ast.If, facts: Facts) -> NoFix | None:
    """The same for what an attribute or a container holds since before the branch."""
    function = facts.function_of(node)
    assert function is not None
    passes = set() if name in binds_surely(*node.body) & binds_surely(*node.orelse) else {name}
    kept = next((k for c in sorted(passes | _passed(name, node)) if (k := _kept(c, node, facts))), None)
    if kept is None:
        return None
    later = _reach(name, node, facts)
    ends = fates(name, function, facts, lambda use: use.lineno in later)
    harm = next((f.text for f in ends if f.kind != "given"), None)
    return NoFix(f"{kept}, of which a graph would give a copy: {harm}") if harm else None


def _kept_and_returned(what: str, node: ast.If, function: FunctionNode, facts: Facts) -> NoFix | None:
    returned = [s.value for s in walk(function) if isinstance(s, ast.Return) and s.lineno >= node.lineno]
    names = sorted({v.id for v in returned if isinstance(v, ast.Name)})
    kept = next((k for name in names if (k := _kept(name, node, facts))), None)
    return NoFix(f"{kept}, of which a graph would give a copy as {what}") if kept else None


def _kept(name: str, node: ast.If, facts: Facts) -> str | None:
    """How something that lasts has come to hold what `name` holds before the branch."""
    function = facts.function_of(node)
    assert function is not None

    def counts(use: ast.Name) -> bool:
        return use.lineno < node.lineno and node.lineno in _reach(name, facts.names.statement_of(use), facts)

    return next((f.text for f in fates(name, function, facts, counts) if f.kind == "kept"), None)


def holders(values: Sequence[Value]) -> set[str]:
    """Whose storage the values share, where that is known: parameters and attributes."""
    return {root for v in values if ELSEWHERE not in v.roots for root in v.roots}


def _owner(held: set[str]) -> str:
    one = min(held)
    return f"`{one}`" if one.startswith("self.") else f"the argument `{one}`"


def _refusal(what: str, owner: str, harm: str) -> NoFix:
    said = f"`{what}`" if what.isidentifier() else what
    return NoFix(f"{said} may be {owner} itself, of which a graph would give a copy: {harm}")


def _after(name: str, node: ast.If, held: set[str], facts: Facts) -> str | None:
    """What shows after the branch whether `name` shares the storage."""
    function = facts.function_of(node)
    assert function is not None
    later = _reach(name, node, facts)

    def counts(use: ast.Name) -> bool:
        shares = not isinstance(use.ctx, ast.Load) or bool(facts.kinds.of(use).roots & held)
        return shares and use.lineno in later

    for found in fates(name, function, facts, counts):
        harm = _harm(found, function, held, facts, _MAX_CALLS)
        if harm is not None:
            return harm
    return None


def _harm(found: Fate, function: FunctionNode, held: set[str], facts: Facts, depth: int) -> str | None:
    """Why a caller would notice; what is given to code that is not known is taken to be read only."""
    if found.kind == "given":
        return None
    if found.kind == "returned":
        return _returned(function, held, facts, depth) and found.text
    return found.text


def _returned(function: FunctionNode, held: set[str], facts: Facts, depth: int = _MAX_CALLS) -> str | None:
    """Why a caller of the function would notice that the result does not share the storage of what it gave."""
    region, calls = facts.regions.of(function), facts.calls.callers(function)
    if region.entry or not calls or depth == 0 or not held <= set(facts.flow(function).parameters):
        return "it is returned"
    for call in calls:
        home = facts.function_of(call)
        given = [*call.args, *(k.value for k in call.keywords)]
        if home is None or any(isinstance(g, ast.Starred) for g in given):
            return "it is returned"
        if all(_unshared(g, call, facts) for g in given):
            continue
        roots = {r for g in given for r in facts.kinds.of(g).roots if r != ELSEWHERE}
        harm = _used(call, roots, facts, depth - 1)
        if harm is not None:
            return harm
    return None


def _unshared(given: ast.expr, call: ast.Call, facts: Facts) -> bool:
    """True for an argument that nothing holds any more when the call is done."""
    statement = facts.names.statement_of(call)
    roots = facts.kinds.of(given).roots - {ELSEWHERE}
    if roots or not facts.kinds.of(given).is_tensor:
        return not roots
    if not isinstance(given, ast.Name):
        return True
    function = facts.function_of(call)
    assert function is not None
    return given.id in binds_surely(statement) or given.id not in facts.flow(function).live_after(statement)


def _used(expr: ast.expr, held: set[str], facts: Facts, depth: int) -> str | None:
    """Why what becomes of the value of an expression shows whether it shares the storage."""
    function = facts.function_of(expr)
    assert function is not None
    found, names = fate(expr, facts)
    harm = _harm(found, function, held, facts, depth) if found is not None else None
    statement = facts.names.statement_of(expr)
    for name in sorted(names):
        if harm is None:
            later = _reach(name, statement, facts)
            ends = fates(name, function, facts, lambda use: use.lineno in later)  # noqa: B023 - used up at once
            harm = next((h for f in ends if (h := _harm(f, function, held, facts, depth))), None)
    return harm


def _reach(name: str, node: ast.stmt, facts: Facts) -> range:
    """The lines after `node`, as far as `name` holds what it has there; those of a loop around both as well."""
    function = facts.function_of(node)
    assert function is not None
    last = function.end_lineno or function.lineno
    child: ast.stmt = node
    for above in facts.names.ancestors(node):
        block = next((b for b in _blocks(above) if child in b), [])
        for statement in block[block.index(child) + 1 :] if block else []:
            if name in binds_surely(statement) and not isinstance(statement, (ast.If, ast.Try, *_LOOPS)):
                return range((node.end_lineno or node.lineno) + 1, (statement.end_lineno or 0) + 1)
        if isinstance(above, _LOOPS):
            return range(above.lineno, last + 1)
        if above is function:
            break
        child = above if isinstance(above, ast.stmt) else child
    return range((node.end_lineno or node.lineno) + 1, last + 1)


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    found = [getattr(node, f, None) for f in ("body", "orelse", "finalbody")]
    found += [h.body for h in getattr(node, "handlers", [])]
    return [b for b in found if isinstance(b, list)]


def _source_changed(held: set[str], node: ast.If | ast.IfExp, facts: Facts) -> str | None:
    """What changes the tensor itself after the branch, which a copy would not follow."""
    function = facts.function_of(node)
    assert function is not None
    end = node.end_lineno or node.lineno
    around = [a for a in facts.names.ancestors(node) if isinstance(a, _LOOPS)]
    start = around[-1].lineno if around else end + 1
    for statement in walk(function):
        if isinstance(statement, ast.stmt) and not hasattr(statement, "body") and statement.lineno >= start:
            changed = facts.effects.of([statement]).mutates & held
            if changed and statement.lineno not in range(node.lineno, end + 1):
                return f"`{min(changed)}` is changed on line {statement.lineno}"
    return None


def _sharers(name: str, node: ast.If, facts: Facts) -> list[str]:
    """Other locals that may hold what `name` holds before `node`, or what an arm binds to it, and are read later."""
    function = facts.function_of(node)
    assert function is not None
    live = facts.flow(function).live_after(node) - {name}
    return sorted(live & (_twins(name, node, facts, function) | _passed(name, node)))


def _passed(name: str, node: ast.If) -> set[str]:
    """The names that an arm binds to `name` as they are."""
    return {
        s.value.id
        for s in [*node.body, *node.orelse]
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Name)
        if any(isinstance(t, ast.Name) and t.id == name for t in s.targets)
    }


def _twins(name: str, node: ast.If, facts: Facts, function: FunctionNode) -> set[str]:
    """The names that are bound before `node` to what `name` holds there."""
    found: set[str] = set()
    for use in walk(function):
        if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load) and use.lineno < node.lineno:
            found |= fate(use, facts)[1] if node.lineno in _reach(name, facts.names.statement_of(use), facts) else set()
    for s in walk(function):
        if isinstance(s, ast.Assign) and s.lineno < node.lineno:
            targets = [t.id for t in s.targets if isinstance(t, ast.Name)]
            if name in targets and node.lineno in _reach(name, s, facts):
                found |= {*targets} | ({s.value.id} if isinstance(s.value, ast.Name) else set())
    return found


def _clash(name: str, other: str, node: ast.If, facts: Facts) -> str | None:
    """What tells two locals apart that share a tensor: one is changed, or both leave the function."""
    function = facts.function_of(node)
    assert function is not None
    leaving = []
    for one in (name, other):
        later = _reach(one, node, facts)
        found = list(fates(one, function, facts, lambda use: use.lineno in later))  # noqa: B023 - used up at once
        for fate_of in found:
            if fate_of.kind == "changed":
                return fate_of.text
        leaving += [f.text for f in found if f.kind in ("kept", "returned")][:1]
    return leaving[-1] if len(leaving) == 2 else None
