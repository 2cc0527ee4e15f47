"""Does code use parameters: what of an instance may take a gradient."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trees import walk
from . import torch_api
from .conventions import FACTORIES, KEEP_DTYPE_METHODS
from .values import Tag, category

if TYPE_CHECKING:
    from . import Facts


def owns_parameters(nodes: Sequence[ast.AST], facts: Facts) -> bool:
    """True where the nodes run layers or read parameters of `self`."""
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load) and _learns(n, facts)
        for root in nodes
        for n in walk(root)
    )


def _learns(attribute: ast.Attribute, facts: Facts) -> bool:
    value = facts.kinds.of(attribute)
    if value.tag is Tag.MODULE:
        return True
    owner = facts.classes.owner(attribute)
    if value.tag is not Tag.TENSOR or owner is None or not any(r.startswith("self.") for r in value.roots):
        return False
    return attribute.attr not in owner[0].buffers and not _constant(attribute, facts)


def _constant(attribute: ast.Attribute, facts: Facts) -> bool:
    """True for `self.low = torch.tensor(low)`, set once: a tensor that takes no gradient."""
    owner = facts.classes.owner(attribute)
    made = facts.classes.values(owner[0], attribute.attr) if owner is not None else []
    if owner is None or not made or owner[0].is_rebound(attribute.attr):
        return False
    return all(
        isinstance(m, ast.Call)
        and facts.names.qualified(m.func) in FACTORIES | {"torch.tensor"}
        and not any(k.arg in (None, "requires_grad") for k in m.keywords)
        for m in made
    )


_FRESH = KEEP_DTYPE_METHODS | {"detach"}
MAX_NAMES = 4  # how many names are followed to what they are bound to


def needs_no_gradient(expr: ast.expr, facts: Facts, follow: int = MAX_NAMES) -> bool:
    """True for a tensor that takes no gradient whatever the inputs are: made new, detached, or not of floats."""
    if category(facts.kinds.of(expr).dtype) in ("bool", "int"):
        return True
    operands: list[ast.expr] = []
    match expr:
        case ast.Constant():
            return True
        case ast.Name():
            function = facts.function_of(expr)
            return follow > 0 and function is not None and all_made_new(expr.id, [function], facts, follow - 1)
        case ast.UnaryOp():
            operands = [expr.operand]
        case ast.BinOp():
            operands = [expr.left, expr.right]
        case ast.Call(func=ast.Attribute(attr=name, value=base)) if facts.kinds.of(base).is_tensor:
            if name in _FRESH:
                return True
            operands = [base, *expr.args, *(k.value for k in expr.keywords)]
        case ast.Call():
            name = facts.names.qualified(expr.func) or ""
            fresh = name in FACTORIES | {"torch.tensor"} or (torch_api.function(name) and name.endswith("_like"))
            return bool(fresh) and not any(k.arg in (None, "requires_grad") for k in expr.keywords)
    numbers = [facts.kinds.of(e).tag in (Tag.HOST, Tag.NONE) for e in operands]
    known = [n or needs_no_gradient(e, facts, follow) for n, e in zip(numbers, operands, strict=True)]
    return bool(known) and all(known)


def all_made_new(name: str, roots: Sequence[ast.AST], facts: Facts, follow: int = MAX_NAMES) -> bool:
    """True where all that the nodes bind the name to takes no gradient, and they do bind it."""
    stores = {n for root in roots for n in walk(root) if isinstance(n, ast.Name) and n.id == name}
    stores = {n for n in stores if isinstance(n.ctx, ast.Store)}
    made = [p.value for n in stores if isinstance(p := facts.names.parent(n), ast.Assign) and n in p.targets]
    given = any(isinstance(n, ast.arg) and n.arg == name for root in roots for n in walk(root))
    settled = not given and bool(made) and len(made) == len(stores)
    return settled and all(needs_no_gradient(m, facts, follow) for m in made)
