"""Which sizes of an entry's inputs change from call to call: the lengths of sequences of tokens."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..observed import Calls
from ..trees import walk
from .classes import FunctionNode
from .flow import walk_scope
from .recorded import shown_to_vary
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

EMBEDDINGS = frozenset({"torch.nn.Embedding", "torch.nn.EmbeddingBag"})
POSITIONS = frozenset({"torch.arange", "torch.ones", "torch.full", "torch.zeros", "torch.triu", "torch.tril"})
MARKS = frozenset({"maybe_mark_dynamic", "mark_dynamic", "mark_unbacked", "_varying"})
LENGTH = 1  # the dimension along which a batch of sequences is as long as its longest


@dataclass(frozen=True, slots=True)
class Lengths:
    """Inputs of one length that changes.

    Attributes:
        call: the statement of the eager outer function that runs the compiled core.
        inputs: for each dimension the parameters that have another size there in each call, in order: the tokens,
            then the masks that are as long.
        read: where the core reads the length; None where recorded calls showed that it varies.
        calls: how many recorded calls there were.
    """

    call: ast.stmt
    inputs: tuple[tuple[int, tuple[str, ...]], ...]
    read: ast.expr | None = None
    calls: int = 0


def varying(outer: FunctionNode, facts: Facts) -> Lengths | None:
    """The inputs of changing length that an eager outer function hands to its compiled core without having said so."""
    if not facts.regions.skipped_alone(outer) or _marked(outer):
        return None
    for statement in outer.body:
        for node in walk_scope(statement):
            target = facts.calls.target(node) if isinstance(node, ast.Call) else None
            if target is None or target.owner is None or target.function is outer or not isinstance(node, ast.Call):
                continue
            calls = shown_to_vary(outer, facts)
            if calls is not None:
                shown = _shown(_passed(node, outer, target.function, facts), calls)
                if shown:
                    return Lengths(statement, shown, calls=calls.count)
                continue
            found = _inputs(node, outer, target.function, facts)
            if found is not None:
                return Lengths(statement, ((LENGTH, found[0]),), found[1])
    return None


def _marked(outer: FunctionNode) -> bool:
    names = {
        n.attr if isinstance(n, ast.Attribute) else n.id
        for n in walk(outer)
        if isinstance(n, (ast.Attribute, ast.Name))
    }
    return any(n in MARKS or n.startswith("_varying") for n in names)


def _inputs(
    call: ast.Call, outer: FunctionNode, core: FunctionNode, facts: Facts
) -> tuple[tuple[str, ...], ast.expr] | None:
    """The tokens and masks among what the call passes on under its own name, and where the core reads the length."""
    passed = _passed(call, outer, core, facts)
    for name in passed:
        read = _length(name, core, facts)
        if read is not None and _embedded(name, core, facts):
            masks = [n for n in passed if n != name and "mask" in n and _plain_tensor(n, core, facts)]
            return (name, *masks), read
    return None


def _passed(call: ast.Call, outer: FunctionNode, core: FunctionNode, facts: Facts) -> list[str]:
    """What the call passes on under its own name."""
    own = set(facts.flow(outer).parameters)
    names = [a.id for a in [*call.args, *(k.value for k in call.keywords)] if isinstance(a, ast.Name)]
    return [n for n in names if n in own and n in facts.flow(core).parameters]


def _shown(passed: list[str], calls: Calls) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """The inputs that had several sizes in recorded calls, by dimension."""
    found: dict[int, list[str]] = {}
    for name in passed:
        seen = calls.parameters.get(name)
        for axis in seen.sizes if seen is not None and seen.kinds == {"tensor"} else ():
            found.setdefault(axis, []).append(name)
    return tuple((axis, tuple(names)) for axis, names in sorted(found.items()))


def _embedded(name: str, core: FunctionNode, facts: Facts) -> bool:
    """True where a layer looks the input up as tokens."""
    for node in walk_scope(*core.body):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == name:
            layer = facts.kinds.of(node.func)
            if layer.tag is Tag.MODULE and layer.detail in EMBEDDINGS:
                return True
    return False


def _plain_tensor(name: str, core: FunctionNode, facts: Facts) -> bool:
    uses = [
        n for n in walk_scope(*core.body) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    return any(facts.kinds.of(n).is_tensor and not facts.kinds.of(n).optional for n in uses)


def _length(name: str, core: FunctionNode, facts: Facts) -> ast.expr | None:
    """Where the core reads the length of the input to count positions by it, or to hold it against a limit."""
    for statement in core.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        read = _sizes(value, name)
        bound = None
        if read == "all" and isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) > LENGTH:
            bound = target.elts[LENGTH]
        elif read == "length":
            bound = target
        if isinstance(bound, ast.Name) and _counts_positions(bound.id, core, facts):
            return value
    return None


def _sizes(value: ast.expr, name: str) -> str:
    """ "all" for `x.shape` and `x.size()`, "length" for `x.shape[1]` and `x.size(1)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "size":
        whose, index = value.func.value, value.args[0] if value.args else None
    elif isinstance(value, ast.Subscript) and isinstance(value.value, ast.Attribute) and value.value.attr == "shape":
        whose, index = value.value.value, value.slice
    elif isinstance(value, ast.Attribute) and value.attr == "shape":
        whose, index = value.value, None
    else:
        return ""
    if not isinstance(whose, ast.Name) or whose.id != name:
        return ""
    if index is None:
        return "all"
    text = ast.unparse(index)
    return "length" if text in (str(LENGTH), "-1") else ""


def _counts_positions(length: str, core: FunctionNode, facts: Facts) -> bool:
    for node in walk_scope(*core.body):
        match node:
            case ast.Call() if facts.names.qualified(node.func) in POSITIONS:
                found = any(isinstance(a, ast.Name) and a.id == length for a in node.args)
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Gt() | ast.GtE()]):
                found = name == length
            case _:
                found = False
        if found:
            return True
    return False
