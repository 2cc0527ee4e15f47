"""Losses of what a mask selects."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from .selections import Selection, is_bare, study
from .values import Tag

if TYPE_CHECKING:
    from . import Facts


@dataclass(frozen=True, slots=True)
class Loss:
    """`cross_entropy(logits[mask], labels[mask])`.

    Attributes:
        node: the call.
        mask: the mask.
        operands: the logits and the labels, of which the mask selects.
        gone: statements above that only select, for this call.
    """

    node: ast.Call
    mask: ast.expr
    operands: tuple[ast.expr, ast.expr]
    gone: tuple[ast.stmt, ...]


def masked_loss(call: ast.Call, facts: Facts) -> Loss | NoFix | None:
    """The loss of a selection that a call computes; None for any other call."""
    if len(call.args) != 2 or call.keywords or not is_cross_entropy(call.func, facts):
        return None
    if not isinstance(facts.names.enclosing_function(call), ast.FunctionDef):
        return None
    statement = facts.names.statement_of(call)
    mask = next(iter(facts.masks.selecting(call.args[0], statement)), None)
    if mask is None:
        return None
    found = [study(a, mask, statement, facts) for a in call.args]
    refused = next((f for f in found if isinstance(f, NoFix)), None)
    if refused is not None:
        return refused
    operands = [f.operands[0][1] for f in found if isinstance(f, Selection) and not f.lifted and is_bare(f.value)]
    if len(operands) != 2:
        return NoFix("logits and labels are not both what the same mask selects")
    gone = dict.fromkeys(s for f in found if isinstance(f, Selection) for s in f.gone)
    return Loss(call, mask, (operands[0], operands[1]), tuple(gone))


def is_cross_entropy(func: ast.expr, facts: Facts) -> bool:
    """True for `torch.nn.functional.cross_entropy` and modules that call it, reductions left as they are by default."""
    if facts.names.qualified(func) == "torch.nn.functional.cross_entropy":
        return True
    value = facts.kinds.of(func)
    return value.tag is Tag.MODULE and value.detail == "torch.nn.CrossEntropyLoss"
