"""Several numbers read out of tensors one by one, which may be read in one place."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import by_type, children, walk
from .flow import COMPREHENSIONS, walk_scope
from .selections import loop_around
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

# They run through a generator before anything else happens.
CONSUMERS = frozenset({"sum", "max", "min", "list", "tuple", "set", "sorted", "any", "all", "dict", "frozenset"})
CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.NamedExpr, *COMPREHENSIONS)
HEADS = (ast.Assign, ast.Return, ast.Expr, ast.AugAssign, ast.AnnAssign)


@dataclass(frozen=True, slots=True)
class EachRead:
    """A generator that reads every element.

    Attributes:
        node: the generator expression.
        reads: the `x.item()` calls of its element.
        iterated: what is iterated over, whose elements are read.
        around: "" where the target is the element, "enumerate", or "items" for `k, x in d.items()`.
    """

    node: ast.GeneratorExp
    reads: tuple[ast.Call, ...]
    iterated: ast.expr
    around: str


@dataclass(frozen=True, slots=True)
class TogetherRead:
    """A statement that reads several tensors.

    Attributes:
        statement: the statement.
        reads: the `x.item()` calls, in order.
    """

    statement: ast.stmt
    reads: tuple[ast.Call, ...]


def item_of(node: ast.AST) -> ast.expr | None:
    """`x` of `x.item()`, None for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item":
        return None if node.args or node.keywords else node.func.value
    return None


def repeated(node: ast.AST, facts: Facts) -> bool:
    """True in a loop, and in a function of the file that is called in one: a single break skips the frame there."""
    function = facts.function_of(node)
    calls = facts.calls.callers(function) if function is not None else []
    return loop_around(node, facts) or any(loop_around(c, facts) for c in calls)


def each_read(node: ast.GeneratorExp, facts: Facts) -> EachRead | NoFix | None:
    """The reads of a generator over tensors; None where it reads none of what it iterates over."""
    if len(node.generators) != 1:
        return None
    generator = node.generators[0]
    target, iterated, around = generator.target, generator.iter, ""
    if isinstance(target, ast.Tuple) and len(target.elts) == 2 and isinstance(iterated, ast.Call):
        if facts.names.qualified(iterated.func) == "builtins.enumerate" and len(iterated.args) == 1:
            target, iterated, around = target.elts[1], iterated.args[0], "enumerate"
        elif isinstance(iterated.func, ast.Attribute) and iterated.func.attr == "items" and not iterated.args:
            target, iterated, around = target.elts[1], iterated.func.value, "items"
    used = [n for n in walk(node.elt) if isinstance(n, ast.Name) and n.id == getattr(target, "id", "")]
    calls = [n for n in walk(node.elt) if isinstance(n, ast.Call)]
    reads = [c for c in calls if any(item_of(c) is u for u in used)]
    covered = any(facts.hoists.covers(r) for r in reads)
    if not reads or covered or facts.kinds.of(iterated).tag in (Tag.HOST, Tag.NONE):
        return None
    if len(reads) != len(used) or generator.ifs or generator.is_async:
        return NoFix("what is read is used in another way too")
    effect = facts.effects.of([node.elt, iterated])
    if not effect.pure:
        return NoFix(f"reading first would change an order: {effect.why_impure}")
    parent = facts.names.parent(node)
    name = (facts.names.qualified(parent.func) or "") if isinstance(parent, ast.Call) else ""
    if name.removeprefix("builtins.") not in CONSUMERS or not name.startswith("builtins."):
        return NoFix("nothing tells when the generator runs")
    if around == "items" and not isinstance(iterated, (ast.Name, ast.Attribute)):
        return NoFix("the mapping has no name")
    return EachRead(node, tuple(reads), iterated, around)


def together_read(statement: ast.stmt, facts: Facts) -> TogetherRead | NoFix | None:
    """The reads of a statement, where there are several; None where there are not, or others take care of them."""
    if not isinstance(statement, HEADS):
        return None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and facts.sinks.kind(statement.value):
        return None
    if sum(item_of(n) is not None for n in by_type(statement).get(ast.Call, ())) < 2:  # what is cheap to know first
        return None
    calls = [n for n in _certain(statement) if isinstance(n, ast.Call) and _matters(n, facts)]
    if len({ast.dump(tensor) for c in calls if (tensor := item_of(c)) is not None}) < 2:
        return None
    reads = tuple(sorted(calls, key=lambda n: (n.lineno, n.col_offset)))
    for call in walk_scope(statement):
        if isinstance(call, ast.Call) and call not in reads:
            inside = {id(n) for n in walk(call)}
            holds_all = all(id(r) in inside for r in reads)
            if not holds_all and not facts.effects.of([call]).pure:
                return NoFix(f"`{ast.unparse(call.func)}` may change what is read after it")
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in walk_scope(statement)):
        return NoFix("the statement is left and entered again between the reads")
    return TogetherRead(statement, reads)


def _certain(root: ast.AST) -> list[ast.AST]:
    """The nodes that are evaluated whenever the statement is."""
    found: list[ast.AST] = []
    for child in children(root):
        if not isinstance(child, CONDITIONAL):
            found += [child, *_certain(child)]
    return found


def _matters(call: ast.Call, facts: Facts) -> bool:
    """True for a read of a tensor that stays a read."""
    tensor = item_of(call)
    if tensor is None or facts.kinds.of(tensor).tag is not Tag.TENSOR:
        return False
    return not facts.hoists.covers(call) and not facts.scalars.stays(call)
