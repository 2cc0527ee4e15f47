"""Elements and rows that masks select: updates of them, reductions over them, and tests whether there are any."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..craft.helpers import any_helper
from ..model import Evidence, Level, NoFix
from ..trees import named, walk
from .classes import FunctionNode
from .flow import binds, leaves, reads, walk_scope
from .losses import Loss, masked_loss
from .scalars import ORDER
from .selections import Selection, block_of, is_bare, study
from .values import BOOL, Tag

if TYPE_CHECKING:
    from . import Facts

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "any", "all"})
IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_", ast.Pow: "pow_"}
_TELLING = re.compile(
    r"(^|_)(masks?|keep|kept|valid|invalid|active|inactive|selected|inside|outside|done|finished|dones|pad|padding|is|has)(_|$)"
)
_EXTREME = "compiled, the {} of an empty selection is infinite instead of raising"
_UNFIT = "a mask that does not fit the tensor is found later"


@dataclass(frozen=True, slots=True)
class Update:
    """`y[mask] = value`, or `y[mask] op= value`.

    Attributes:
        node: the statement.
        target: `y[mask]`.
        mask: the mask.
        selection: the value as a function of what is selected.
        method: the in-place method that stands for the operator, None for a plain assignment.
    """

    node: ast.Assign | ast.AugAssign
    target: ast.Subscript
    mask: ast.expr
    selection: Selection
    method: str | None


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction over a selection.

    Attributes:
        node: the call.
        statement: the statement that holds it.
        kind: "sum", "mean", …
        mask: the mask.
        selection: what is reduced, as a function of what is selected.
    """

    node: ast.Call
    statement: ast.stmt
    kind: str
    mask: ast.expr
    selection: Selection


@dataclass(frozen=True, slots=True)
class Emptiness:
    """A condition that asks whether anything is selected; `holds` where it is true for an empty selection."""

    node: ast.expr
    holds: bool


@dataclass(frozen=True, slots=True)
class Picked:
    """`picked = x[mask]`, of which only reductions and emptiness are asked.

    Attributes:
        node: the assignment.
        mask: the mask.
        reductions, tests: its uses.
        changes: what the rewrite changes.
    """

    node: ast.Assign
    mask: ast.expr
    reductions: tuple[Reduction, ...]
    tests: tuple[Emptiness, ...]
    changes: tuple[str, ...]


class Masks:
    """What is done by masks in one file."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._covered: dict[FunctionNode, set[int]] = {}
        self._picked: dict[int, Picked | NoFix | None] = {}

    def is_mask(self, index: ast.expr) -> Evidence | None:
        """How it is known that an index is a bool tensor; None where nothing says so."""
        value = self._facts.kinds.of(index)
        if value.tag is Tag.TENSOR and value.dtype == BOOL:
            return Evidence(value.level, value.because or "it is a bool tensor")
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
            return self.is_mask(index.operand)
        if isinstance(index, ast.BinOp) and isinstance(index.op, (ast.BitAnd, ast.BitOr)):
            return self.is_mask(index.left) or self.is_mask(index.right)
        name = index.id if isinstance(index, ast.Name) else index.attr if isinstance(index, ast.Attribute) else ""
        if value.tag in (Tag.TENSOR, Tag.UNKNOWN) and _TELLING.search(name):
            return Evidence(Level.ASSUMED, f"`{name}` is named like a mask")
        if value.tag in (Tag.TENSOR, Tag.UNKNOWN) and isinstance(index, ast.Name) and self._inverted(index):
            return Evidence(Level.ASSUMED, f"`~{name}` is an index too")
        return None

    def _inverted(self, index: ast.Name) -> bool:
        """True where the function also selects by `~index`."""
        function = self._facts.function_of(index)
        nodes = walk(function) if function is not None else ()
        slices = [n.slice for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.UnaryOp)]
        return any(isinstance(s.op, ast.Invert) and getattr(s.operand, "id", "") == index.id for s in slices)

    def within(self, node: ast.AST) -> bool:
        """True in code that may run compiled, and that is none of the helpers which this tool has put into the file."""
        function = self._facts.function_of(node)
        if function is None or not self._facts.regions.of(function) or self._facts.regions.left_alone(node):
            return False
        return not any_helper(function)

    def _updated(self, target: ast.expr) -> bool:
        return isinstance(target, ast.Subscript) and self.is_mask(target.slice) is not None

    # -- updates -------------------------------------------------------------------------------------------------------
    def update(self, node: ast.Assign | ast.AugAssign) -> Update | NoFix | None:
        """The update that a statement makes by a mask from what the mask selects; None for any other statement."""
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Tuple) and all(map(self._updated, target.elts)):
            return NoFix(
                "one call makes several results of what the mask selects, and may need whole rows of it",
                "call it on all rows, with a harmless value where not selected, and take `torch.where` of each",
            )
        several = isinstance(node, ast.Assign) and len(node.targets) != 1
        if several or not isinstance(target, ast.Subscript) or self.is_mask(target.slice) is None:
            return None
        if self._facts.kinds.of(target.value).tag not in (Tag.TENSOR, Tag.UNKNOWN):
            return None
        mask = target.slice
        if not self._facts.effects.of([mask, target.value]).pure:
            return NoFix("finding what is updated has effects")
        if unsure := self._facts.perhaps_unbound(node, [node]):
            return NoFix(f"`{min(unsure)}` may be unbound, and a call asks for it in another order")
        if isinstance(node, ast.Assign):
            found = study(node.value, mask, node, self._facts)
            return Update(node, target, mask, found, None) if isinstance(found, Selection) else found
        method = IN_PLACE.get(type(node.op))
        if method is None:
            return NoFix("the operator is not known to work element by element")
        found = study(node.value, mask, node, self._facts, target=target)
        return Update(node, target, mask, found, method) if isinstance(found, Selection) else found

    # -- reductions ----------------------------------------------------------------------------------------------------
    def reduction(self, call: ast.Call) -> Reduction | NoFix | None:
        """The reduction over a selection that a call makes; None where it makes none, or `picked` tells of it."""
        reduced = self._reduced(call)
        statement = self._facts.names.statement_of(call)
        if reduced is None or not isinstance(self._facts.names.enclosing_function(call), ast.FunctionDef):
            return None
        kind, value = reduced
        for mask in self.selecting(value, statement):
            if any(self.picked(s) is not None for s in self._readers(value, statement)):
                return None
            found = study(value, mask, statement, self._facts)
            if isinstance(found, Selection) and found.rows:
                found = NoFix("what is reduced works row by row, not element by element")
            if kind == "count" and not (isinstance(found, Selection) and not found.lifted and is_bare(found.value)):
                return None
            if isinstance(found, Selection):
                return Reduction(call, statement, kind, mask, found)
            roots = [value, *(s.value for s in self._readers(value, statement))]
            inner = [n for n in walk_scope(*roots) if isinstance(n, ast.Call)]
            # What is reduced inside becomes a 0-d tensor first.
            return None if any(isinstance(self.reduction(n), Reduction) for n in inner) else found
        return None

    def changes(self, reduction: Reduction) -> tuple[str, ...]:
        """What putting the reduction into the graph changes."""
        return (_EXTREME.format(reduction.kind),) if reduction.kind in ("max", "min") else ()

    def _reduced(self, call: ast.Call) -> tuple[str, ast.expr] | None:
        """The reduction and what it reduces, of a call that reduces everything."""
        qualified = self._facts.names.qualified(call.func)
        if qualified is not None:
            kind = qualified.removeprefix("torch.")
            plain = len(call.args) == 1 and not call.keywords and qualified.startswith("torch.")
            return (kind, call.args[0]) if plain and kind in REDUCTIONS else None
        if not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
            return None
        name = call.func.attr
        if name in ("numel", "nelement") and self._compared(call):
            return "count", call.func.value
        return (name, call.func.value) if name in REDUCTIONS else None

    def _compared(self, call: ast.Call) -> bool:
        """True where a condition compares the number with one that Python knows."""
        compare = self._facts.names.parent(call)
        if not isinstance(compare, ast.Compare) or len(compare.ops) != 1 or not isinstance(compare.ops[0], ORDER):
            return False
        other = compare.comparators[0] if compare.left is call else compare.left
        above = self._facts.names.parent(compare)
        asked = isinstance(above, (ast.If, ast.Assert, ast.UnaryOp, ast.BoolOp))
        return asked and self._facts.kinds.of(other).tag is Tag.HOST

    def selecting(self, value: ast.expr, statement: ast.stmt) -> Iterator[ast.expr]:
        """The masks that select in an expression, or in locals that it reads."""
        for root in [value, *(s.value for s in self._readers(value, statement))]:
            for node in walk_scope(root):
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and self.is_mask(node.slice):
                    yield node.slice

    def _readers(self, value: ast.expr, statement: ast.stmt) -> list[ast.Assign]:
        """The statements above, in any block around, that bind names which the value reads, theirs included."""
        wanted, found = reads(value), []
        function = self._facts.function_of(statement)
        body = [s for s in walk_scope(*function.body) if isinstance(s, ast.Assign)] if function is not None else []
        for s in sorted(body, key=lambda s: -s.lineno):
            if s.lineno < statement.lineno and isinstance(s.targets[0], ast.Name) and s.targets[0].id in wanted:
                found.append(s)
                wanted |= reads(s.value)
        return found

    # -- selections with a name ----------------------------------------------------------------------------------------
    def picked(self, node: ast.Assign) -> Picked | NoFix | None:
        """`picked = x[mask]` with all its readers, where these only reduce it or ask whether it is empty."""
        if id(node) not in self._picked:
            self._picked[id(node)] = None
            self._picked[id(node)] = self._find_picked(node)
        return self._picked[id(node)]

    def _find_picked(self, node: ast.Assign) -> Picked | NoFix | None:
        function, value = self._facts.function_of(node), node.value
        if function is None or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            return None
        if not isinstance(value, ast.Subscript) or self.is_mask(value.slice) is None:
            return None
        name = node.targets[0].id
        uses = named(function, name)
        loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
        if len(uses) - len(loads) != 1 or not loads or self._facts.kinds.of(value.value).tag is not Tag.TENSOR:
            return None
        if name in self._facts.flow(function).always_live:
            return None
        found = [self._use(n, node) for n in loads]
        tests = tuple(u for u in found if isinstance(u, Emptiness))
        reductions = tuple({id(u.node): u for u in found if isinstance(u, Reduction)}.values())
        if len(tests) + len([u for u in found if isinstance(u, Reduction)]) != len(loads) or not tests:
            return None
        if len(reductions) > 1:
            return NoFix("several reductions share the selection, which eager code would make again for each")
        refused = self._moves(node, function, name)
        if refused is not None:
            return refused
        changes = {c for r in reductions for c in self.changes(r) if not self._guarded(r, tests)}
        if self._facts.kinds.of(value.value).shape != self._facts.kinds.of(value.slice).shape:
            changes.add(_UNFIT)
        return Picked(node, value.slice, reductions, tests, tuple(sorted(changes)))

    def _use(self, name: ast.Name, node: ast.Assign) -> Emptiness | Reduction | None:
        """What is asked of the selection where its name is read."""
        above: ast.AST | None = name
        while isinstance(above, ast.expr):
            empty = emptiness(above, name, self._facts)
            if empty is not None:
                return empty
            reduced = self._reduced(above) if isinstance(above, ast.Call) else None
            parent = self._facts.names.parent(above)
            if reduced is not None and reduced[0] == "count" and isinstance(parent, ast.expr):
                empty = emptiness(parent, name, self._facts)
                if empty is not None:
                    return empty
            if reduced is not None and isinstance(above, ast.Call):
                assert isinstance(node.value, ast.Subscript)
                statement = self._facts.names.statement_of(above)
                found = study(reduced[1], node.value.slice, statement, self._facts, given=node)
                if isinstance(found, Selection) and not found.rows:
                    return Reduction(above, statement, reduced[0], node.value.slice, found)
                return None
            above = parent
        return None

    def _moves(self, node: ast.Assign, function: FunctionNode, name: str) -> NoFix | None:
        """Why selecting where the selection is used is not the same."""
        block = block_of(node, self._facts)
        rest = block[block.index(node) + 1 :]
        last = max(i for i, s in enumerate(rest) if name in reads(s)) if any(name in reads(s) for s in rest) else -1
        if sum(name in reads(s) for s in walk(function) if isinstance(s, ast.expr)) and last < 0:
            return NoFix(f"`{name}` is read outside of the block that binds it")
        effect = self._facts.effects.of(rest[: last + 1])
        needed = reads(node.value)
        changed = effect.mutates | effect.stores
        assert isinstance(node.value, ast.Subscript)
        roots = self._facts.kinds.of(node.value.value).roots
        if effect.unknown or "?" in changed or changed & (needed | roots) or binds(*rest[: last + 1]) & needed:
            return NoFix("what stands between the selection and its use may change what is selected")
        return None

    def _guarded(self, reduction: Reduction, tests: tuple[Emptiness, ...]) -> bool:
        """True where the reduction is only reached when something is selected."""
        names = self._facts.names
        for test in tests:
            branch = names.parent(test.node)
            if not isinstance(branch, ast.If) or branch.test is not test.node:
                continue
            block = block_of(branch, self._facts)
            if test.holds and leaves(branch.body) and reduction.statement in block[block.index(branch) + 1 :]:
                return True
            arm = branch.orelse if test.holds else branch.body
            if any(reduction.node is n for s in arm for n in walk(s)):
                return True
        return False

    # -- what others leave to masks ------------------------------------------------------------------------------------
    def covers(self, statement: ast.stmt) -> bool:
        """True where a selection that the statement makes will become part of an update or a reduction in the graph."""
        function = self._facts.function_of(statement)
        if function is None:
            return False
        if function not in self._covered:
            self._covered[function] = found = set()
            for node in walk_scope(*function.body):
                plan: object = None
                if isinstance(node, (ast.Assign, ast.AugAssign)):
                    plan = self.update(node)
                    if isinstance(node, ast.Assign) and isinstance(self.picked(node), Picked):
                        found.add(id(node))
                elif isinstance(node, ast.Call):
                    plan = self.reduction(node)
                    loss = masked_loss(node, self._facts)
                    found |= {id(s) for s in loss.gone} if isinstance(loss, Loss) else set()
                if isinstance(plan, (Update, Reduction)):
                    found |= {id(plan.node if isinstance(plan, Update) else plan.statement)}
                    found |= {id(s) for s in plan.selection.gone}
        return id(statement) in self._covered[function]


def emptiness(node: ast.expr, name: ast.Name, facts: Facts) -> Emptiness | None:
    """`picked.numel() == 0`, `len(picked) > 0`, `picked.shape[0]` as a condition."""
    parent = facts.names.parent(node)
    asked = isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is node
    asked = asked or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))
    if not asked:
        return None
    if _counts(node, name):
        return Emptiness(node, False)
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=0 | 1 as bound)]) if _counts(left, name):
            if bound is True or bound is False:
                return None
            empty = (isinstance(op, (ast.Eq, ast.LtE)) and bound == 0) or (isinstance(op, ast.Lt) and bound == 1)
            some = (isinstance(op, (ast.NotEq, ast.Gt)) and bound == 0) or (isinstance(op, ast.GtE) and bound == 1)
            return Emptiness(node, empty) if empty or some else None
    return None


def _counts(node: ast.expr, name: ast.Name) -> bool:
    """`picked.numel()`, `picked.nelement()`, `len(picked)`, `picked.shape[0]`, `picked.size(0)`."""
    text = ast.unparse(node)
    n = name.id
    forms = (f"{n}.numel()", f"{n}.nelement()", f"len({n})", f"{n}.shape[0]", f"{n}.size(0)")
    return text in forms and any(x is name for x in walk(node))


__all__ = ["Emptiness", "Masks", "Picked", "Reduction", "Update"]
