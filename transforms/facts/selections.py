"""Functions of what a mask selects: are they elementwise, or row by row, so that they may run on everything."""

from __future__ import annotations

import ast
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from . import torch_api
from .flow import binds, reads, walk_scope
from .values import SCALAR, Tag, Value

if TYPE_CHECKING:
    from . import Facts

# Their derivative is finite wherever layers put them, though not at every magnitude that a float has.
SMOOTH = frozenset({"gelu", "silu", "elu", "mish", "softplus", "square", "selu", "celu", "logsigmoid", "hardswish"})
CASTS = frozenset({"float", "double", "half", "bfloat16", "long", "int", "bool", "to", "type_as", "detach", "clone"})
LAST = frozenset({"softmax", "log_softmax", "normalize"})
LAST_LAYERS = frozenset({"torch.nn.Linear", "torch.nn.LayerNorm", "torch.nn.RMSNorm", "torch.nn.Identity"})
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor)


class Reach(enum.IntEnum):
    """What of the selection one element of a result depends on."""

    NOTHING = 0
    ELEMENT = 1
    ROW = 2


@dataclass(frozen=True, slots=True)
class Selection:
    """A function of what one mask selects from some tensors.

    Attributes:
        value: the expression.
        operands: the tensors that are selected from, each with the name that the function gives to what it gets.
        picks: the expressions that select, each with the name of its operand.
        lifted: statements above that the function needs, in order.
        gone: the statements above whose names only `value` reads: those lifted, those that only select, of which the
            function's parameters have the names, and the one that computes the value itself.
        rows: it works row by row, not element by element.
    """

    value: ast.expr
    operands: tuple[tuple[str, ast.expr], ...]
    picks: tuple[tuple[ast.expr, str], ...]
    lifted: tuple[ast.stmt, ...]
    gone: tuple[ast.stmt, ...]
    rows: bool


def picks(node: ast.AST, mask: ast.expr, facts: Facts) -> bool:
    """True for `x[mask]`, read, with this very mask."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return False
    return ast.dump(node.slice) == ast.dump(mask) and facts.kinds.of(node.value).tag in (Tag.TENSOR, Tag.UNKNOWN)


def study(
    value: ast.expr,
    mask: ast.expr,
    at: ast.stmt,
    facts: Facts,
    target: ast.Subscript | None = None,
    given: ast.Assign | None = None,
) -> Selection | NoFix | None:
    """The value as a function of what the mask selects; None where it selects nothing by it.

    `target` is `y[mask]` of `y[mask] += value`, the first operand; `given` is a selection that has several readers.
    """
    search = _Study(mask, at, facts, given)
    if target is not None:
        search.found.append(target)
        reach = max(Reach.ELEMENT, search.visit(value))
        return search.refusal or search.selection(value, reach)
    if not search.selects(value):
        return None
    reach = search.visit(value)
    if search.refusal is None and reach is Reach.NOTHING:
        search.refuse("it is not computed from the selection")
    return search.refusal or search.selection(value, reach)


class _Study:
    """The study of one value."""

    def __init__(self, mask: ast.expr, at: ast.stmt, facts: Facts, given: ast.Assign | None = None) -> None:
        self.mask, self.at, self.facts, self.given = mask, at, facts, given
        self.refusal: NoFix | None = None
        self.found: list[ast.Subscript] = []
        self.lifts: dict[str, ast.Assign] = {}
        self.shared = False  # a tensor that every element meets, which a NaN gradient of any of them would reach
        self.steep: str | None = None
        self._function = facts.function_of(at)
        self._collect()

    def refuse(self, reason: str) -> Reach:
        self.refusal = self.refusal or NoFix(reason)
        return Reach.NOTHING

    # -- what is selected ----------------------------------------------------------------------------------------------
    def selects(self, root: ast.AST) -> bool:
        """True where the mask selects something in the expression, or in a local that only it reads."""
        return any(
            picks(n, self.mask, self.facts) or (isinstance(n, ast.Name) and self.lift(n)) for n in walk_scope(root)
        )

    def lift(self, name: ast.Name) -> ast.Assign | None:
        """The statement that computes the name from the selection, where it may stand inside of the function."""
        return self.lifts.get(name.id) if isinstance(name.ctx, ast.Load) else None

    def _collect(self) -> None:
        """Find the names that statements above bind, once in the function, to what is computed from the selection."""
        function = self._function
        if function is None or self.given is not None:
            self.lifts = {self.given.targets[0].id: self.given} if self.given else {}  # type: ignore[attr-defined]
            return
        stores = [n.id for n in walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        block = block_of(self.at, self.facts)
        for s in block[: block.index(self.at)]:
            if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
                name = s.targets[0].id
                flow = self.facts.flow(function)
                once = stores.count(name) == 1 and name not in flow.parameters and name not in flow.always_live
                if once and self.selects(s.value):
                    self.lifts[name] = s

    def selection(self, value: ast.expr, reach: Reach) -> Selection | NoFix:
        used = self._used(value)
        dropped = tuple(s for s in used if picks(s.value, self.mask, self.facts))
        lifted = tuple(s for s in used if s not in dropped)
        refused = self._in_the_way(used, [value, *(s.value for s in lifted)])
        if refused is not None:
            return refused
        while lifted and isinstance(value, ast.Name) and value.id == lifted[-1].targets[0].id:  # type: ignore[attr-defined]
            value, lifted = lifted[-1].value, lifted[:-1]
        rest = [value, *(s.value for s in lifted)]
        if self.shared and self.steep:
            return NoFix(f"the derivative of `{self.steep}` may be infinite, and parameters would meet it")
        operands: dict[object, tuple[str, ast.expr]] = {}
        named: list[tuple[ast.expr, str]] = []
        for s in dropped:
            name = s.targets[0].id  # type: ignore[attr-defined]
            operands[ast.dump(s.value.value)] = (name, s.value.value)  # type: ignore[attr-defined]
        inside = {id(n) for p in self.found for n in walk(p)}
        plain = {n.id for r in rest for n in walk(r) if isinstance(n, ast.Name) and id(n) not in inside}
        for pick in self.found:
            if any(pick is s.value for s in dropped):
                continue
            # What `y[mask] += y[mask]` changes in place is another tensor than the one that it reads.
            key = ast.dump(pick.value) if isinstance(pick.ctx, ast.Load) else pick
            if key not in operands:
                taken = plain | {n for n, _ in operands.values()} | binds(*lifted)
                operands[key] = (_parameter(pick.value, taken, self.facts), pick.value)
            named.append((pick, operands[key][0]))
        return Selection(value, tuple(operands.values()), tuple(named), lifted, tuple(used), reach is Reach.ROW)

    def _used(self, value: ast.expr) -> list[ast.Assign]:
        """The statements whose names the value needs, in order."""
        chosen: list[ast.Assign] = []
        wanted = reads(value)
        for s in reversed(list(self.lifts.values())):
            if s.targets[0].id in wanted:  # type: ignore[attr-defined]
                chosen.insert(0, s)
                wanted |= reads(s.value)
        return chosen

    def _in_the_way(self, used: Sequence[ast.Assign], rest: Sequence[ast.expr]) -> NoFix | None:
        """Why the statements can not move down to the value."""
        if not used or self.given is not None:
            return None
        assert self._function is not None
        names = {s.targets[0].id for s in used}  # type: ignore[attr-defined]
        own = {id(n) for r in [*rest, *(s.value for s in used)] for n in walk(r)}
        for n in walk(self._function):
            if isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load) and id(n) not in own:
                return NoFix(f"`{n.id}` is also read on line {n.lineno}")
        block = block_of(self.at, self.facts)
        between = [s for s in block[block.index(used[0]) : block.index(self.at)] if s not in used]
        effect = self.facts.effects.of(between)
        needed = reads(*(s.value for s in used))
        roots = frozenset[str]().union(*(self.facts.kinds.of(p.value).roots for p in self.found))
        changed = effect.mutates | effect.stores
        if effect.unknown or "?" in changed or changed & (needed | roots) or binds(*between) & needed:
            return NoFix("what stands between the selection and its use may change what is selected")
        return None

    # -- how far it reaches --------------------------------------------------------------------------------------------
    def visit(self, e: ast.expr) -> Reach:
        """What one element of the expression depends on; refuses what is neither elementwise nor row by row."""
        if self.refusal is not None:
            return Reach.NOTHING
        if picks(e, self.mask, self.facts):
            assert isinstance(e, ast.Subscript)
            if not self.facts.effects.of([e.value]).pure:
                return self.refuse(f"`{ast.unparse(e.value)}` has effects")
            self.found.append(e)
            return Reach.ELEMENT
        if isinstance(e, ast.Name) and (statement := self.lift(e)) is not None:
            return self.visit(statement.value)
        if not self.selects(e):
            return self._apart(e)
        match e:
            case ast.BinOp():
                return self._operator(e)
            case ast.UnaryOp() if not isinstance(e.op, ast.Not):
                return self.visit(e.operand)
            case ast.Compare() if not any(isinstance(o, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for o in e.ops):
                return max(self.visit(x) for x in [e.left, *e.comparators])
            case ast.Call():
                return self._call(e)
        return self.refuse(f"`{ast.unparse(e)}` is not known to work element by element")

    def _apart(self, e: ast.expr) -> Reach:
        """Something that the selection is not part of: a number, a 0-d tensor, a parameter of `self`."""
        value = self.facts.kinds.of(e)
        if not self.facts.effects.of([e]).pure:
            return self.refuse(f"`{ast.unparse(e)}` has effects")
        if value.tag in (Tag.HOST, Tag.NONE):
            return Reach.NOTHING
        if value.tag is Tag.TENSOR:
            self.shared = True
            if value.shape == SCALAR:
                return Reach.NOTHING
            if is_parameter(e, self.facts):
                return Reach.ROW
        return self.refuse(f"the size of `{ast.unparse(e)}` may hang on how much is selected")

    def _operator(self, e: ast.BinOp) -> Reach:
        whole = isinstance(e.op, (ast.FloorDiv, ast.Mod)) and isinstance(e.right, ast.Constant) and bool(e.right.value)
        if not whole and not isinstance(e.op, _OPERATORS):
            return self.refuse(f"`{ast.unparse(e)}` is not known to work element by element")
        right = e.right.value if isinstance(e.right, ast.Constant) and isinstance(e.right.value, (int, float)) else 0
        if (isinstance(e.op, ast.Div) and right <= 0) or (isinstance(e.op, ast.Pow) and right < 1):
            self.steep = self.steep or ast.unparse(e)
        return max(self.visit(e.left), self.visit(e.right))

    def _call(self, e: ast.Call) -> Reach:
        named = {k.arg for k in e.keywords}
        if any(isinstance(a, ast.Starred) for a in e.args) or named & {None, "out", "inplace"}:
            return self.refuse(f"`{ast.unparse(e)}` is not known to work element by element")
        layer = self.facts.kinds.of(e.func)
        if layer.tag is Tag.MODULE:
            return self._layer(e, layer)
        qualified = self.facts.names.qualified(e.func)
        if qualified is not None and qualified.startswith("torch."):
            return self._operation(torch_api.function(qualified), e, list(e.args))
        if qualified is None and isinstance(e.func, ast.Attribute) and self.facts.calls.target(e) is None:
            if e.func.attr in CASTS:
                return self.visit(e.func.value)
            return self._operation(torch_api.method(e.func.attr), e, [e.func.value, *e.args])
        return self.refuse(f"`{ast.unparse(e.func)}` is not known to work element by element")

    def _operation(self, op: torch_api.Op | None, e: ast.Call, given: list[ast.expr]) -> Reach:
        name = op.name.rpartition(".")[2] if op is not None else ""
        if op is None or op.mutates or op.random != "never":
            return self.refuse(f"`{ast.unparse(e.func)}` is not known to work element by element")
        if op.gradient == "unsafe" and name not in SMOOTH:
            self.steep = self.steep or ast.unparse(e)
        if name in LAST and _last(e):
            return max(Reach.ROW, self.visit(given[0]))
        if op.elementwise and (name != "where" or len(given) == 3):
            return max(self.visit(x) for x in [*given, *(k.value for k in e.keywords)])
        return self.refuse(f"`{ast.unparse(e.func)}` is not known to work element by element")

    def _layer(self, e: ast.Call, module: Value) -> Reach:
        """A layer of torch that `self` holds."""
        layers = module.items if module.detail == "torch.nn.Sequential" else (module,)
        if not layers or len(e.args) != 1 or e.keywords:
            return self.refuse(f"`{ast.unparse(e.func)}` is not known to work row by row")
        for position, one in enumerate(layers):
            layer = torch_api.layer(one.detail)
            inplace = one.shape is not None and one.shape[0] == "made" and len(one.shape) > 2 and bool(one.shape[2])
            fits = layer is not None and layer.train == "pure" and (layer.elementwise or layer.name in LAST_LAYERS)
            if not fits or (inplace and position == 0):
                return self.refuse(f"`{ast.unparse(e.func)}` is not known to work row by row")
        if loop_around(self.at, self.facts):
            return self.refuse("in a loop, running layers on all rows each time would cost more than the cut")
        self.shared = True
        return max(Reach.ROW, self.visit(e.args[0]))


def _parameter(base: ast.expr, taken: set[str], facts: Facts) -> str:
    """A name for what is selected from a tensor: the tensor's own, where nothing else in the function has it."""
    own = base.id if isinstance(base, ast.Name) else base.attr.strip("_") if isinstance(base, ast.Attribute) else "x"
    return own if own not in taken else facts.names.fresh(f"{own}_kept", taken)


def _last(e: ast.Call) -> bool:
    """True where the call says that it works on the last dimension."""
    given = next((k.value for k in e.keywords if k.arg == "dim"), e.args[-1] if e.args else None)
    return given is not None and ast.unparse(given) == "-1"


def is_parameter(e: ast.expr, facts: Facts) -> bool:
    """True for `self.NAME` that `__init__` makes a parameter."""
    owner = facts.classes.owner(e) if isinstance(e, ast.Attribute) else None
    made = owner[0].attribute(e.attr) if owner is not None and isinstance(e, ast.Attribute) else []
    if len(made) != 1 or not isinstance(made[0], ast.Call):
        return False
    return (facts.names.qualified(made[0].func) or "").endswith("nn.Parameter")


def loop_around(node: ast.AST, facts: Facts) -> bool:
    """True where a loop of the same function runs the node more than once."""
    here = facts.names.parent(node)
    while here is not None and not isinstance(here, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        if isinstance(here, (ast.For, ast.AsyncFor, ast.While)):
            return True
        here = facts.names.parent(here)
    return False


def block_of(statement: ast.stmt, facts: Facts) -> list[ast.stmt]:
    """The statements of the block that holds the statement."""
    parent = facts.names.parent(statement)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and statement in block:
            return block
    return [statement]


def is_bare(value: ast.expr) -> bool:
    """True for a selection itself, or the name of one."""
    return isinstance(value, (ast.Subscript, ast.Name))
