"""The arms of a branch on a tensor as two functions: what they take and give, and whether a graph may hold both."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from ..model import Evidence, Level, NoFix
from ..trees import walk
from .aliases import seen_alias, seen_result
from .cheap import evaluable, light
from .flow import binds, leaves, reads
from .owned import all_made_new, needs_no_gradient, owns_parameters
from .values import Tag, Value, agree, weaker

if TYPE_CHECKING:
    from . import Facts

N = TypeVar("N", ast.If, ast.IfExp)
MAX_STATEMENTS = 12
FRAME = frozenset(f"builtins.{name}" for name in ("super", "locals", "vars", "dir"))


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a branch.

    Attributes:
        body: its statements, the final `return` left out.
        results: per output an expression, or None where the name itself is the result.
    """

    body: tuple[ast.stmt, ...]
    results: tuple[ast.expr | None, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch that a graph can hold.

    Attributes:
        replaced: the statements that the new ones stand for: the `if`, with what follows it where arms return.
        lifted: statements of an arm that only make Python values, and may as well run before the branch.
        true, false: the arms.
        outputs: the names bound; empty where the arms return.
        operands: local tensors that the arms read, in order of appearance.
        elementwise: both arms are cheap, raise for no value and have finite derivatives, so that both may be evaluated.
        light: both arms may be evaluated, and whether a graph can choose between them is asked of what they give.
        evidence: how sure it is that both arms give the same dtypes and shapes.
        changes: what the rewrite changes for a caller.
    """

    replaced: tuple[ast.stmt, ...]
    lifted: tuple[ast.stmt, ...]
    true: Arm
    false: Arm
    outputs: tuple[str, ...]
    operands: tuple[str, ...]
    elementwise: bool
    evidence: Evidence
    changes: tuple[str, ...] = ()
    light: bool = False

    @property
    def turned(self) -> Branch:
        """The branch on the opposite condition."""
        return replace(self, true=self.false, false=self.true)


def choose(node: ast.IfExp, facts: Facts) -> Branch | NoFix:
    """The conditional expression as a branch; its only result is the expression's value."""
    function = facts.function_of(node)
    assert function is not None
    if isinstance(facts.names.enclosing_function(node), ast.Lambda) or facts.names.scope_of(node).node is not function:
        return NoFix("it stands in a lambda or a comprehension")
    if any(isinstance(n, ast.NamedExpr) for side in (node.body, node.orelse) for n in walk(side)):
        return NoFix("a side binds a name")
    sides = (facts.kinds.of(node.body), facts.kinds.of(node.orelse))
    sure = _agreement([("the value", *sides)], facts, node, seen_result)
    if isinstance(sure, NoFix):
        return sure
    return _checked(node, (), Arm((), (node.body,)), Arm((), (node.orelse,)), (), sure, facts)


def study(node: ast.If, facts: Facts) -> Branch | NoFix:
    """The branch, or why it must stay in Python."""
    function = facts.function_of(node)
    assert function is not None
    if any(isinstance(n, (ast.Raise, ast.Assert)) for side in (node.body, node.orelse) for s in side for n in walk(s)):
        return NoFix("an arm raises")
    for side in (node.body, node.orelse):
        refused = _uncapturable(side, facts)
        if refused is not None:
            return refused
    if leaves(node.body) or leaves(node.orelse):
        return _returning(node, facts)
    if "return" in facts.effects.of([*node.body, *node.orelse]).jumps:
        return NoFix("an arm returns on some of its paths")
    flow = facts.flow(function)
    bound = [n for n in _ordered(binds(*node.body) | binds(*node.orelse), node) if n in flow.live_after(node)]
    if not bound:
        return _no_output(node, facts)
    run = facts.kinds.run(function)
    then, other = run.ends.get(id(node), (None, None))
    if then is None or other is None:
        return NoFix("an arm leaves the block")
    before = flow.bound_before(node)
    ends = [flow.bound_after(arm, before) for arm in (node.body, node.orelse)]
    for name in bound:
        if not all(name in end for end in ends):
            one = name not in binds(*node.body) or name not in binds(*node.orelse)
            return NoFix(
                f"`{name}` is bound " + ("in one arm only" if one else "on some of the paths through an arm only")
            )
    pairs = [(name, then.get(name), other.get(name)) for name in bound]
    sure = _agreement(pairs, facts, node, seen_alias)
    if isinstance(sure, NoFix):
        return sure
    true, false = Arm(tuple(node.body), (None,) * len(bound)), Arm(tuple(node.orelse), (None,) * len(bound))
    return _checked(node, (node,), true, false, tuple(bound), sure, facts)


def _no_output(node: ast.If, facts: Facts) -> NoFix:
    effect = facts.effects.of([*node.body, *node.orelse])
    return NoFix(effect.why_impure or "nothing that the arms compute is used later")


def _ordered(names: set[str], node: ast.AST) -> list[str]:
    seen = [n.id for n in walk(node) if isinstance(n, ast.Name) and n.id in names]
    return list(dict.fromkeys(seen))


def _returning(node: ast.If, facts: Facts) -> Branch | NoFix:
    """`if t: return a` with `return b` at the end of the block: two functions that return."""
    parent = facts.names.parent(node)
    block = next((b for b in _blocks(parent) if node in b), None)
    function = facts.function_of(node)
    assert function is not None
    if block is None or parent is not function:
        return NoFix("it returns from within another block")
    rest = block[block.index(node) + 1 :]
    sides = (list(node.body), list(node.orelse) or rest) if leaves(node.body) else (rest, list(node.orelse))
    if leaves(node.body) and node.orelse and not leaves(node.orelse):
        sides = (list(node.body), [*node.orelse, *rest])
    for side in sides:
        if (
            not side
            or not isinstance(side[-1], ast.Return)
            or any(isinstance(n, ast.Return) for s in side[:-1] for n in walk(s))
        ):
            return NoFix("the arms do not each end in one return")
    if len(rest) > MAX_STATEMENTS:
        return NoFix(f"{len(rest)} statements follow an early return")
    values = [s[-1].value for s in sides if isinstance(s[-1], ast.Return) and s[-1].value is not None]
    if len(values) < 2:
        return NoFix("an arm returns None")
    kinds = [facts.kinds.of(v) for v in values]
    pairs: list[tuple[str, Value | None, Value | None]] = [("the result", kinds[0], kinds[1])]
    if kinds[0].items is not None and kinds[1].items is not None and len(kinds[0].items) == len(kinds[1].items):
        pairs = [(f"result {i}", x, y) for i, (x, y) in enumerate(zip(kinds[0].items, kinds[1].items, strict=True))]
    sure = _agreement(pairs, facts, node, seen_result)
    if isinstance(sure, NoFix):
        return sure
    arms = [Arm(tuple(s[:-1]), (value,)) for s, value in zip(sides, values, strict=True)]
    return _checked(node, (node, *rest), arms[0], arms[1], (), sure, facts)


def _blocks(parent: ast.AST | None) -> list[list[ast.stmt]]:
    return [b for b in (getattr(parent, f, None) for f in ("body", "orelse", "finalbody")) if isinstance(b, list)]


def _agreement(
    pairs: Sequence[tuple[str, Value | None, Value | None]],
    facts: Facts,
    node: N,
    seen: Callable[[str, Sequence[Value], N, Facts], NoFix | None],
) -> Evidence | NoFix:
    """How sure it is that both arms give the same kinds of tensors, of which `seen` says whether a copy would do."""
    function = facts.function_of(node)
    assert function is not None
    floats = facts.kinds.floats(function, node)
    level, because = Level.PROVED, "dtype and shape are the same in both arms"
    for name, a, b in pairs:
        if a is None or b is None:
            return NoFix(f"`{name}` is bound in one arm only")
        found = agree(a, b, floats)
        said = f"`{name}`: {found.because}" if name.isidentifier() else f"{name}: {found.because}"
        if found.level is Level.NO:
            return NoFix(said)
        shared = seen(name, (a, b), node, facts)
        if shared is not None:
            return shared
        if weaker(level, found.level) is not level:
            level, because = found.level, found.because if found.holds else said
    return Evidence(level, because)


def _checked(
    node: ast.If | ast.IfExp,
    replaced: tuple[ast.stmt, ...],
    true: Arm,
    false: Arm,
    outputs: tuple[str, ...],
    sure: Evidence,
    facts: Facts,
) -> Branch | NoFix:
    """The branch, when no arm does what a graph cannot hold."""
    changes: list[str] = []
    for arm in (true, false):
        nodes: list[ast.AST] = [*arm.body, *(r for r in arm.results if r is not None)]
        refused = _uncapturable(nodes, facts) or _tied_to_frame(nodes, facts)
        if refused is not None:
            return refused
        if owns_parameters(nodes, facts):
            changes.append("gradient: in compiled training, parameters of the arm not taken get zero instead of None")
    lifted = _lifted(node, true, false, facts) if isinstance(node, ast.If) else ()
    true, false = (Arm(a.body[len([s for s in a.body if s in lifted]) :], a.results) for a in (true, false))
    nodes = [*true.body, *false.body, *(r for a in (true, false) for r in a.results if r is not None)]
    operands = _operands(node, true, false, outputs, facts)
    if isinstance(operands, NoFix):
        return operands
    cheap = len(true.results) == 1 and not (
        true.results[0] is not None and facts.kinds.of(true.results[0]).items is not None
    )
    elementwise = cheap and all(evaluable(n, facts) for n in nodes)
    held = _changing_float(node, nodes, facts)
    if not elementwise and (asks := facts.effects.of(nodes).asks):
        return NoFix(f"an arm calls `{asks[0]}`, which may branch while compiling, and torch.cond takes no branch")
    uneven = _uneven(node, true, false, outputs, facts)
    if uneven:
        changes.append("gradient: in compiled training, what takes no gradient in one arm gets one of zeros")
    if not sure.certain and not changes and light(nodes, facts) and (elementwise or not held):
        found = Evidence(Level.PROVED, "whether the arms are alike is asked while compiling")
        return Branch(replaced, lifted, true, false, outputs, operands, elementwise, found, light=True)
    if not sure.holds:
        return NoFix(sure.because)
    if not elementwise and held:
        return NoFix(f"`{held}` is a Python number that may change from call to call, which torch.cond does not take")
    return Branch(replaced, lifted, true, false, outputs, operands, elementwise, sure, tuple(dict.fromkeys(changes)))


def _uneven(node: ast.If | ast.IfExp, true: Arm, false: Arm, outputs: tuple[str, ...], facts: Facts) -> bool:
    """True where what one arm gives takes no gradient, and what the other gives may."""
    function = facts.function_of(node)
    assert function is not None
    modes = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    if any(facts.names.qualified(m) in ("torch.no_grad", "torch.inference_mode") for m in modes):
        return False

    def new(arm: Arm, place: int) -> bool:
        result = arm.results[place]
        if result is not None:
            return needs_no_gradient(result, facts)
        name = outputs[place]
        return all_made_new(name, arm.body if name in binds(*arm.body) else [function], facts)

    return any(new(true, i) is not new(false, i) for i in range(len(true.results)))


def _tied_to_frame(nodes: Sequence[ast.AST], facts: Facts) -> NoFix | None:
    """`super()` and `locals()` mean something else in a function of the arm."""
    for root in nodes:
        for n in walk(root):
            looks = isinstance(n, ast.Call) and not n.args and facts.names.qualified(n.func) in FRAME
            if looks or (isinstance(n, ast.Name) and n.id == "__class__"):
                return NoFix(f"an arm reads `{ast.unparse(n)}`, which belongs to the frame")
    return None


def _mutated(nodes: Sequence[ast.AST], facts: Facts) -> set[str]:
    """What the nodes change in place that they did not make themselves, statement by statement."""
    found: set[str] = set()
    made: set[str] = set()
    for node in nodes:
        effect = facts.effects.of([node])
        found |= effect.storage | (effect.mutates - effect.storage - made)
        made |= binds(node) if not isinstance(node, ast.AugAssign) else set()
    return found


def _uncapturable(nodes: Sequence[ast.AST], facts: Facts) -> NoFix | None:
    effect = facts.effects.of(nodes)
    if effect.unknown:
        return NoFix(f"an arm calls `{effect.unknown[0]}`, of which nothing is known")
    outside = _mutated(nodes, facts)
    if outside:
        return NoFix(f"an arm changes `{min(outside)}` in place")
    if effect.stores:
        return NoFix(f"an arm assigns `{min(effect.stores)}`")
    if effect.io:
        return NoFix(f"an arm calls `{effect.io[0]}`")
    if effect.state:
        return NoFix(f"`{effect.state[0]}` updates its running statistics in training")
    if effect.reads:
        return NoFix(f"an arm reads a tensor on the host (line {effect.reads[0]})")
    if effect.breaks or effect.raises:
        return NoFix(f"an arm cannot be captured: {effect.breaks[0]}" if effect.breaks else "an arm raises")
    if effect.jumps - {"return"}:
        return NoFix(f"an arm has a `{min(effect.jumps)}`")
    return None


def _lifted(node: ast.If, true: Arm, false: Arm, facts: Facts) -> tuple[ast.stmt, ...]:
    """Leading statements `limit = torch.finfo(h.dtype).max - 1000` of an arm: Python values that nothing else uses."""
    function = facts.function_of(node)
    assert function is not None
    live = facts.flow(function).live_after(node)
    found: list[ast.stmt] = []
    for arm, other in ((true, false), (false, true)):
        for s in arm.body:
            name = (
                s.targets[0].id
                if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name)
                else None
            )
            if (
                name is None
                or name in live
                or name in binds(*other.body) | reads(*other.body)
                or name in facts.kinds.before(node)
            ):
                break
            if not isinstance(s, ast.Assign) or not _host_total(s.value, node.test, facts):
                break
            found.append(s)
    return tuple(found)


def _host_total(value: ast.expr, test: ast.expr, facts: Facts) -> bool:
    """True for arithmetic on constants, `finfo` of a floating dtype and plain names: it cannot raise."""
    for n in walk(value):
        if isinstance(n, ast.Call):
            known = facts.names.qualified(n.func) == "torch.finfo" and len(n.args) == 1
            checked = any(isinstance(t, ast.Attribute) and t.attr == "dtype" for t in walk(test))
            if not (known and checked):
                return False
        elif (isinstance(n, ast.BinOp) and not isinstance(n.op, (ast.Add, ast.Sub, ast.Mult))) or not isinstance(
            n,
            (
                ast.BinOp,
                ast.Constant,
                ast.Name,
                ast.Attribute,
                ast.UnaryOp,
                ast.operator,
                ast.unaryop,
                ast.expr_context,
            ),
        ):
            return False
    return facts.kinds.of(value).tag is Tag.HOST


def _operands(
    node: ast.If | ast.IfExp, true: Arm, false: Arm, outputs: tuple[str, ...], facts: Facts
) -> tuple[str, ...] | NoFix:
    """Local tensors that an arm reads before it binds them, and names that an arm passes through."""
    statement = facts.names.statement_of(node)
    before = facts.kinds.before(statement)
    function = facts.function_of(node)
    assert function is not None
    # Any other name is read where the arm runs, since reading it here might be an error.
    bound = facts.flow(function).bound_before(statement)
    wanted: list[str] = []
    for arm in (true, false):
        used = reads(*arm.body, *(r for r in arm.results if r is not None))
        names = [n for n in _ordered_reads([*arm.body, *(r for r in arm.results if r is not None)]) if n in used]
        for name in [*names, *(o for o in outputs if o not in binds(*arm.body))]:
            known = before.get(name)
            if name in wanted or known is None:
                continue
            if name not in bound and name in binds(*arm.body):
                return NoFix(f"an arm reads `{name}`, which may be unbound, and binds it again")
            if name not in bound:
                continue
            if (known.tag is Tag.TENSOR and not known.optional) or (name in outputs and known.tag is Tag.UNKNOWN):
                wanted.append(name)
            elif name in binds(*arm.body) and name in used:
                return NoFix(f"an arm reads `{name}`, which is not known to be a tensor, and binds it again")
    return tuple(wanted)


def _ordered_reads(nodes: Sequence[ast.AST]) -> list[str]:
    found = [(n.lineno, n.col_offset, n.id) for root in nodes for n in walk(root) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(name for *_, name in sorted(found)))


def _changing_float(branch: ast.If | ast.IfExp, nodes: Sequence[ast.AST], facts: Facts) -> str | None:
    """A local Python number that is not an int, read in an arm: torch.cond fails on one that varies between calls."""
    before = facts.kinds.before(facts.names.statement_of(branch))
    for name in _ordered_reads(nodes):
        value = before.get(name)
        if value is not None and value.tag is Tag.HOST and value.detail in ("float", "") and value.deps:
            return name
    return None
