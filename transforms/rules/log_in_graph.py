"""TR301."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.sinks import Sink
from ..model import Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


@dataclass(frozen=True, slots=True)
class Once:
    """A once-logger's call: the logger, its method, and the call itself."""

    node: ast.Expr
    logger: str
    method: str


class LogInGraph(Rule):
    """A log record or a warning in compiled code.

    ## What it does

    Finds calls of loggers, once-loggers and `warnings.warn` in code that may run under `torch.compile`, also under a
    condition on a tensor, and keeps each record: in an op of its own that runs in its place in the graph, or, for a
    once-logger, in a helper that runs while Dynamo traces.

    ## Why

    Dynamo does not trace logging: each call ends the graph and starts a new one, and in a loop the whole frame is
    skipped. A plain logger call costs more graphs on top, since Dynamo then compiles the handlers and formatters.

    ## Example

    ```python
    logger.info("hidden norm %.3f", hidden.norm())
    ```

    ## Use instead

    ```python
    @_effect
    def _log_hidden_norm(hidden_norm: torch.Tensor) -> None:
        logger.info("hidden norm %.3f", hidden_norm, stacklevel=3)

    _log_hidden_norm(hidden.norm())
    ```

    ## Fix safety

    Outside of compiled code the same call is made with the same arguments, and its record names the same function and
    line. In compiled code the record appears each time and in order, and names this module's file. A once-logger's
    record appears while tracing.

    The fix is unsafe where the logger is imported and known by its name alone, and where the text of a tensor is shown
    that may hold a `grad_fn` (compiled code shows it without).

    Refused: arguments that the op can not be given (containers, objects, values of unknown type), `exc_info`, a stack
    level that is no literal, and messages of once-loggers that hold tensors.
    """

    code = "TR301"
    registry = ("GB0007", "GB0291")
    nodes = (ast.Expr, ast.If)

    def find(self, node: ast.Expr | ast.If, facts: Facts) -> Iterator[Finding]:
        """One finding per record, or per `if` around records."""
        kinds = _kinds(node, facts)
        if not kinds or kinds[0] == "print" or facts.sinks.covered(node):
            return
        evidence = facts.sinks.worth(node)
        if evidence is None:
            return
        first = node.value if isinstance(node, ast.Expr) else node.body[0].value  # type: ignore[attr-defined]
        outcome = _once(node, facts) if isinstance(node, ast.Expr) and kinds == ["once"] else facts.sinks.output(node)
        assumed = isinstance(outcome, Sink) and (outcome.changes or outcome.level is not Level.PROVED)
        what = "warning" if kinds[0] == "warn" else "log record"
        message = f"a {what} ends the graph, `{ast.unparse(first.func)}`"
        yield self.finding(node, facts, message, evidence, outcome, Safety.UNSAFE if assumed else Safety.SAFE)

    def cut(self, plan: Sink | Once, bench: Bench) -> Fix | NoFix:
        """Replace the statement by the call of its op."""
        from ..craft.sink import log_once, sink_fix

        return log_once(plan.node, plan.logger, plan.method, bench) if isinstance(plan, Once) else sink_fix(plan, bench, "keep the record in the graph")


def _kinds(node: ast.Expr | ast.If, facts: Facts) -> list[str]:
    if isinstance(node, ast.If):
        return facts.sinks.conditional(node) or []
    kind = facts.sinks.kind(node.value) if isinstance(node.value, ast.Call) else None
    return [kind] if kind else []


def _once(node: ast.Expr, facts: Facts) -> Once | NoFix:
    """The plan for a once-logger, whose arguments Dynamo must know while tracing."""
    call = node.value
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    if not isinstance(call.func.value, ast.Name) or facts.names.qualified(call.func.value) is None and not _module_name(call.func.value, facts):
        return NoFix("its logger is no name of the module")
    for n in ast.walk(call):
        if isinstance(n, ast.expr) and facts.kinds.of(n).is_tensor and not _metadata(n, facts):
            return NoFix(f"`{ast.unparse(n)}` is a tensor, and the record is made while tracing")
        if isinstance(n, (ast.Starred, ast.NamedExpr, ast.Await, ast.Yield)) or (isinstance(n, ast.keyword) and n.arg is None):
            return NoFix("its arguments are unpacked or assigned")
    return Once(node, call.func.value.id, call.func.attr)


def _module_name(name: ast.Name, facts: Facts) -> bool:
    binding = facts.names.binding(name)
    return binding is not None and binding.scope.kind == "module"


def _metadata(node: ast.expr, facts: Facts) -> bool:
    parent = facts.names.parent(node)
    return isinstance(parent, ast.Attribute) and parent.attr in ("shape", "dtype", "device", "ndim")


__all__ = ["LogInGraph"]
