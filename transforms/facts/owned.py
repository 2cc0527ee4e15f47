"""Does code use parameters: what of an instance may take a gradient."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trees import walk
from .conventions import FACTORIES
from .values import Tag

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
