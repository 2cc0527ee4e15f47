"""TR301."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.sinks import Once, Sink
from ..model import Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


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
        first = node if isinstance(node, ast.Expr) else node.body[0]
        assert isinstance(first, ast.Expr)
        assert isinstance(first.value, ast.Call)
        outcome = (
            facts.sinks.once(node) if isinstance(node, ast.Expr) and kinds == ["once"] else facts.sinks.output(node)
        )
        assumed = isinstance(outcome, Sink) and (outcome.changes or outcome.level is not Level.PROVED)
        what = "warning" if kinds[0] == "warn" else "log record"
        message = f"a {what} ends the graph, `{ast.unparse(first.value.func)}`"
        yield self.finding(node, facts, message, evidence, outcome, Safety.UNSAFE if assumed else Safety.SAFE)

    def cut(self, plan: Sink | Once, bench: Bench) -> Fix | NoFix:
        """Replace the statement by the call of its op."""
        from ..craft.sink import log_once, sink_fix

        if isinstance(plan, Once):
            return log_once(plan.node, plan.logger, plan.method, bench)
        return sink_fix(plan, bench, "keep the record in the graph")


def _kinds(node: ast.Expr | ast.If, facts: Facts) -> list[str]:
    if isinstance(node, ast.If):
        return facts.sinks.conditional(node) or []
    kind = facts.sinks.kind(node.value) if isinstance(node.value, ast.Call) else None
    return [kind] if kind else []
