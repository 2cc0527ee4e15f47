"""Checks of tensors that raise: what the op that raises needs, and whether it may."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..model import NoFix
from ..trees import walk
from .param import Param
from .passing import Passing
from .predicates import split, unwrapped
from .sinks import NEEDS_TORCH, Sink

if TYPE_CHECKING:
    from . import Facts


@dataclass(frozen=True, slots=True)
class Guard:
    """A check that becomes the call of an op.

    Attributes:
        sink: the op; its body is the original statement without its Python conjuncts.
        host: leading conjuncts on Python values, which stay in an `if`.
        test: the condition that is left for the op.
        rest: the `elif` that follows and becomes an `if`.
    """

    sink: Sink
    host: tuple[ast.expr, ...]
    test: ast.expr
    rest: ast.If | None
    needs_torch: ClassVar[tuple[int, int]] = NEEDS_TORCH


@dataclass(frozen=True, slots=True)
class Check:
    """`torch._check_tensor_all(x)`.

    Attributes:
        node: the statement.
        sink: the op that it becomes; None where the module can be imported without torch.
    """

    node: ast.Expr
    sink: Sink | None

    @property
    def needs_torch(self) -> tuple[int, int] | None:
        """See `Rule.finding`."""
        return self.sink.needs_torch if self.sink is not None else None


def check(node: ast.Expr, facts: Facts) -> Check | NoFix | None:
    """The plan for `torch._check_tensor_all(x)`; None for any other statement."""
    call = node.value
    if not isinstance(call, ast.Call) or facts.names.qualified(call.func) != "torch._check_tensor_all":
        return None
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.Name):
        return NoFix("its message would have to be made in the graph")
    if isinstance(call.func, ast.Name):
        return NoFix("`_check_tensor_all` is imported by itself")
    if not facts.sinks.imports_torch:
        return Check(node, None)
    refused = facts.sinks.caught(node)
    name = call.args[0].id
    op = Sink(node, f"_check_{name.strip('_')}", (Param(name, "torch.Tensor", call.args[0]),), ())
    return refused or Check(node, op)


def study(node: ast.If | ast.Assert, facts: Facts) -> Guard | NoFix | None:
    """The plan for a check; None where the statement is no check, or one that Dynamo takes by itself."""
    predicate = split(node.test, facts)
    rest: ast.If | None = None
    if isinstance(node, ast.If):
        if not node.body or not isinstance(node.body[-1], ast.Raise):
            return None
        follower = _rest(node, facts)
        if isinstance(follower, NoFix):
            return follower
        rest = follower
        if len(node.body) > 1:
            return NoFix("its arm does more than raise")
        raised = node.body[0]
        assert isinstance(raised, ast.Raise)
        refused = _exception(raised, facts)
        if refused is not None:
            return refused
    elif _taken(node, facts):
        return None
    if not facts.sinks.imports_torch:
        return NoFix("the module can be imported without torch")
    refused = facts.sinks.caught(node)
    if refused is not None:
        return refused
    effect = facts.effects.of([node.test])
    if effect.mutates or effect.stores or effect.io or effect.random:
        return NoFix(f"its condition has effects: {effect.why_impure}")
    host = predicate.host if predicate is not None and isinstance(node, ast.If) else ()
    test = predicate.tensor if predicate is not None and host else node.test
    sink = _sink(node, test, facts)
    return sink if isinstance(sink, NoFix) else Guard(sink, host, test, rest)


def _rest(node: ast.If, facts: Facts) -> ast.If | NoFix | None:
    """The `elif` behind the check."""
    if not node.orelse:
        return None
    follower = node.orelse[0]
    text = facts.source.text
    if (
        len(node.orelse) > 1
        or not isinstance(follower, ast.If)
        or not text.startswith("elif", facts.source.span(follower).start)
    ):
        return NoFix("it has an `else`")
    if text.startswith("elif", facts.source.span(node).start):
        return NoFix("it stands in the middle of a chain of conditions")
    predicate = split(node.test, facts)
    return (
        NoFix("a Python condition is mixed in, and there is an `elif`")
        if predicate is not None and predicate.host
        else follower
    )


def _taken(node: ast.Assert, facts: Facts) -> bool:
    """True for an `assert` that Dynamo turns into a check in the graph by itself."""
    plain = not isinstance(node.test, (ast.BoolOp, ast.UnaryOp)) and unwrapped(node.test, facts) is node.test
    literal = node.msg is None or isinstance(node.msg, ast.Constant)
    return plain and literal and facts.kinds.of(node.test).is_tensor


def _exception(raised: ast.Raise, facts: Facts) -> NoFix | None:
    """Refuse what module code could not raise."""
    if raised.exc is None:
        return NoFix("it raises again what is being handled")
    if raised.cause is not None and not (isinstance(raised.cause, ast.Constant) and raised.cause.value is None):
        return NoFix("its exception has a cause")
    kind = raised.exc.func if isinstance(raised.exc, ast.Call) else raised.exc
    qualified = facts.names.qualified(kind)
    root = kind
    while isinstance(root, ast.Attribute):
        root = root.value
    if qualified is None or not isinstance(root, ast.Name):
        return NoFix(f"nothing tells what `{ast.unparse(kind)}` is")
    if qualified.startswith("builtins."):
        found = getattr(builtins, qualified.removeprefix("builtins."), None)
        return (
            None
            if isinstance(found, type) and issubclass(found, BaseException)
            else NoFix(f"`{ast.unparse(kind)}` is no exception")
        )
    binding = facts.names.binding(root)
    if binding is None or binding.scope.kind != "module":
        return NoFix(f"`{ast.unparse(kind)}` is no name of the module")
    return None


def _sink(node: ast.If | ast.Assert, test: ast.expr, facts: Facts) -> Sink | NoFix:
    passing = Passing(facts)
    names = ("failed", "passed") if isinstance(node, ast.If) else ("passed", "failed")
    refused = passing.condition(test, *names)
    if refused is not None:
        return refused
    wanted: list[tuple[ast.expr, bool, bool]] = []
    if isinstance(node, ast.Assert):
        wanted = [(node.msg, True, True)] if node.msg is not None else []
    else:
        raised = node.body[0]
        assert isinstance(raised, ast.Raise)
        if isinstance(raised.exc, ast.Call):
            if any(k.arg is None for k in raised.exc.keywords) or any(
                isinstance(a, ast.Starred) for a in raised.exc.args
            ):
                return NoFix("its arguments are unpacked")
            wanted = [(a, True, True) for a in [*raised.exc.args, *(k.value for k in raised.exc.keywords)]]
            if any(facts.kinds.of(a).is_tensor for a, _, _ in wanted):
                return NoFix("the exception would keep a tensor")
    refused = passing.read(wanted)
    if refused is not None:
        return refused
    changes = tuple(f"exception: compiled code shows `{s}` without its grad_fn" for s in passing.shown[:1])
    if _changed_before(node, facts):
        changes = (*changes, "state: what was changed before the check may not be, in compiled code, when it raises")
    return Sink(
        node, f"_check_{_subject(test, facts)}", tuple(passing.params), tuple(passing.replaced.items()), changes
    )


def _changed_before(node: ast.stmt, facts: Facts) -> bool:
    """True where the function may have changed something that outlives it when it gets here."""
    function = facts.function_of(node)
    assert function is not None
    earlier = [s for s in function.body if s.lineno < node.lineno and not any(n is node for n in walk(s))]
    effect = facts.effects.of(earlier)
    own = facts.classes.of_function(function)
    fresh = own is not None and function.name in ("__init__", "__post_init__") and not own.is_module
    outer = {m for m in effect.mutates if m in facts.flow(function).parameters or m.startswith("self")}
    return bool(outer) or (bool(effect.stores) and not fresh)


def _subject(test: ast.expr, facts: Facts) -> str:
    """What the check is about: the first tensor in the condition that has a name."""
    for n in walk(test):
        if (
            isinstance(n, ast.Attribute)
            and isinstance(n.value, ast.Name)
            and n.value.id == "self"
            and facts.kinds.of(n).is_tensor
        ):
            return n.attr.strip("_")
    names = [n for n in walk(test) if isinstance(n, ast.Name) and facts.kinds.of(n).is_tensor]
    return names[0].id.strip("_").lower() if names else "value"


__all__ = ["Check", "Guard", "check", "study"]
