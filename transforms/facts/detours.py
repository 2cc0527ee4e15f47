"""Calls that Dynamo does not take, or takes on a way that breaks, and that have an equal which it takes.

Each was run on torch 2.13, before and after: three of them are among the patterns of other packages.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..craft.helpers import is_helper
from ..model import NoFix
from ..trees import named, walk
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

# With `generator=None` they have no fake kernel for symbolic sizes; the others that take a generator have one.
_DRAWS = frozenset({"torch.randn", "torch.rand", "torch.randint"})
_INTEGERS = frozenset({"torch.int64", "torch.long", "torch.int32", "torch.int"})
_ONE_HOT = "torch.nn.functional.one_hot"


@dataclass(frozen=True, slots=True)
class Detour:
    """A call with an equal.

    Attributes:
        kind: which it is.
        node: the expression that is replaced.
        call: the call itself.
        parts: what the new text is made of: the generator; the bounds; the sizes; the index and the count of rows.
        absorbed: the statement that computed an argument for the call alone, and goes into it.
    """

    kind: Literal["generator", "items", "range", "product", "one_hot"]
    node: ast.expr
    call: ast.Call
    parts: tuple[ast.expr, ...] = ()
    absorbed: ast.Assign | None = None


def detour(call: ast.Call, facts: Facts) -> Detour | NoFix | None:
    """The detour that a call makes; None for any other."""
    qualified = facts.names.qualified(call.func) or ""
    if qualified in _DRAWS:
        return _generator(call, facts)
    if qualified == "builtins.sorted":
        return _items(call, facts)
    if qualified == "builtins.int":
        return _product(call, facts)
    if qualified == _ONE_HOT:
        return _one_hot(call, facts)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "tolist" and not call.args:
        return _range(call, call.func.value, facts)
    return None


def _generator(call: ast.Call, facts: Facts) -> Detour | NoFix | None:
    """`torch.randn(size, generator=generator)`, where `generator` may be None."""
    given = next((k.value for k in call.keywords if k.arg == "generator"), None)
    if given is None:
        return None
    value = facts.kinds.of(given)
    if value.tag is not Tag.NONE and not value.optional:
        return None
    if not isinstance(given, (ast.Name, ast.Constant)):
        return NoFix(f"`{ast.unparse(given)}` would be computed twice", "give it a name first")
    if any(isinstance(n, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)) for n in walk(call)):
        return NoFix("its arguments bind names")
    return Detour("generator", call, call, (given,))


def _items(call: ast.Call, facts: Facts) -> Detour | NoFix | None:
    """`sorted(mapping.items())`: equal keys there are none, so values are never compared."""
    given = call.args[0] if len(call.args) == 1 else None
    if any(k.arg in (None, "key") for k in call.keywords) or not isinstance(given, ast.Call):
        return None
    if not isinstance(given.func, ast.Attribute) or given.func.attr != "items" or given.args or given.keywords:
        return None
    mapping = given.func.value
    values = _values(mapping, facts)
    if values is None:
        return None
    if values and all(facts.kinds.of(v).tag is Tag.HOST for v in values):
        return None
    return Detour("items", call, call)


def _values(mapping: ast.expr, facts: Facts) -> Sequence[ast.expr] | None:
    """The values that a dict is known to begin with, none where any may be in it; None for what may be no dict."""
    if isinstance(mapping, ast.Dict):
        return mapping.values
    if not isinstance(mapping, ast.Name):
        return None
    function = facts.function_of(mapping)
    made = facts.names.single_value(mapping)
    if isinstance(made, (ast.Dict, ast.DictComp)):
        return ()
    if isinstance(made, ast.Call) and facts.names.qualified(made.func) == "builtins.dict":
        return ()
    kwarg = function.args.kwarg if function is not None else None
    if function is None or kwarg is None or kwarg.arg != mapping.id:
        return None
    bound = named(function, mapping.id)
    return None if any(not isinstance(n.ctx, ast.Load) for n in bound) else ()


def _range(call: ast.Call, made: ast.expr, facts: Facts) -> Detour | NoFix | None:
    """`torch.arange(2, x.dim()).tolist()`."""
    if not isinstance(made, ast.Call) or facts.names.qualified(made.func) != "torch.arange":
        return None
    for keyword in made.keywords:
        integers = keyword.arg == "dtype" and facts.names.qualified(keyword.value) in _INTEGERS
        if not integers and keyword.arg != "device":
            return NoFix(f"`{ast.unparse(keyword)}` may change the numbers")
    if any(not _is_int(b, facts) for b in made.args) or not 1 <= len(made.args) <= 3:
        return NoFix("a bound is not known to be an integer of Python")
    step = made.args[2] if len(made.args) == 3 else None
    if step is not None and not (isinstance(step, ast.Constant) and step.value):
        return NoFix("the step may be zero")
    return Detour("range", call, made, tuple(made.args))


def _product(call: ast.Call, facts: Facts) -> Detour | None:
    """`int(np.prod(x.shape[1:]))`: the product of sizes of a tensor fits into 64 bits."""
    made = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if not isinstance(made, ast.Call) or facts.names.qualified(made.func) != "numpy.prod":
        return None
    if len(made.args) != 1 or made.keywords:
        return None
    sizes = made.args[0]
    whole = sizes.value if isinstance(sizes, ast.Subscript) and isinstance(sizes.slice, ast.Slice) else sizes
    size = facts.kinds.of(whole)
    known = size.detail == "size"
    if isinstance(whole, ast.Call) and isinstance(whole.func, ast.Attribute) and not whole.args:
        known = whole.func.attr == "size" and facts.kinds.of(whole.func.value).is_tensor
    return Detour("product", call, made, (sizes,)) if size.tag is Tag.HOST and known else None


def _is_int(e: ast.expr, facts: Facts) -> bool:
    value = facts.kinds.of(e)
    return value.tag is Tag.HOST and value.detail == "int" and not value.optional


def _one_hot(call: ast.Call, facts: Facts) -> Detour | NoFix | None:
    """`one_hot(i, max(i.max() + 1, n))[..., :n]`, where the count is a tensor only to allow for any index."""
    if len(call.args) != 2 or call.keywords or _kept(call, facts):
        return None
    index, count = call.args
    absorbed = _only_reader(count, facts)
    maximum = absorbed.value if absorbed is not None else count
    if not isinstance(maximum, ast.Call) or facts.names.qualified(maximum.func) != "builtins.max":
        return None
    if len(maximum.args) != 2 or maximum.keywords or not isinstance(index, ast.Name):
        return None
    above = [a for a in maximum.args if _beyond(a, index.id, facts) > 0]
    rest = [a for a in maximum.args if a not in above]
    if len(above) != 1 or len(rest) != 1:
        return None
    sliced = facts.names.parent(call)
    if not isinstance(sliced, ast.Subscript) or sliced.value is not call or not _first(sliced.slice, rest[0]):
        return NoFix("more classes are made than are taken, so how many depends on the values")
    if facts.kinds.of(index).tag is Tag.HOST or not isinstance(rest[0], (ast.Name, ast.Constant)):
        return NoFix("what is counted is not known to be a tensor")
    return Detour("one_hot", sliced, call, (index, rest[0]), absorbed)


def _kept(call: ast.Call, facts: Facts) -> bool:
    """True for the original that the helper was given."""
    around = next((n for n in facts.names.ancestors(call) if isinstance(n, ast.Lambda)), None)
    outer = facts.names.parent(around) if around is not None else None
    path = facts.names.qualified(outer.func) if isinstance(outer, ast.Call) else None
    definition = facts.names.definition(path) if path is not None else None
    return definition is not None and is_helper(definition, "_one_hot")


def _only_reader(count: ast.expr, facts: Facts) -> ast.Assign | None:
    """The statement right before, which binds the name that only this call reads."""
    if not isinstance(count, ast.Name):
        return None
    function = facts.function_of(count)
    value = facts.names.single_value(count)
    made = facts.names.parent(value) if value is not None else None
    if function is None or not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    loads = [n for n in named(function, count.id) if n is not made.targets[0]]
    statement = facts.names.statement_of(count)
    block = getattr(facts.names.parent(statement), "body", [])
    behind = made in block and block.index(made) + 1 < len(block) and block[block.index(made) + 1] is statement
    return made if loads == [count] and behind else None


def _beyond(e: ast.expr, index: str, facts: Facts) -> int:
    """How much `i.max() + 1` adds to the largest index; 0 for what is not known to be above it."""
    match e:
        case ast.Name():
            value = facts.names.single_value(e)
            return _beyond(value, index, facts) if value is not None else 0
        case ast.BinOp(op=ast.Add(), left=left, right=ast.Constant(value=int(more))) if more > 0:
            return (
                more
                if _is_maximum(left, index, facts)
                else more + inner
                if (inner := _beyond(left, index, facts))
                else 0
            )
    return 0


def _is_maximum(e: ast.expr, index: str, facts: Facts) -> bool:
    """`i.max()`, also as an int."""
    if isinstance(e, ast.Call) and facts.names.qualified(e.func) == "builtins.int" and len(e.args) == 1:
        return _is_maximum(e.args[0], index, facts)
    return (
        isinstance(e, ast.Call)
        and isinstance(e.func, ast.Attribute)
        and e.func.attr == "max"
        and not (e.args or e.keywords)
        and isinstance(e.func.value, ast.Name)
        and e.func.value.id == index
    )


def _first(index: ast.expr, count: ast.expr) -> bool:
    """`[..., :n]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else []
    if len(parts) != 2 or not isinstance(parts[0], ast.Constant) or parts[0].value is not ...:
        return False
    cut = parts[1]
    plain = isinstance(cut, ast.Slice) and cut.lower is None and cut.step is None and cut.upper is not None
    return plain and isinstance(cut, ast.Slice) and ast.dump(cut.upper or cut) == ast.dump(count)


__all__ = ["Detour", "detour"]
