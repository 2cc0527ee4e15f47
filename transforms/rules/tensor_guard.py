"""TR103."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.guards import Check, Guard, check, study
from ..facts.predicates import split
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class TensorGuard(Rule):
    """An exception that is raised on a tensor's value.

    ## What it does

    Finds `if t: raise …` and the forms of `assert` that Dynamo does not take (a message that is no literal, `not`,
    `and`, `or`, `bool(t)`, `t.item()`), in code that may run under `torch.compile`, and moves the check into an op.

    ## Why

    Dynamo cannot know while it traces whether the exception is raised: it ends the graph, decides in Python and starts
    a new one. In a loop the whole frame is skipped.

    ## Example

    ```python
    if (gamma < 0.0).any():
        raise ValueError(f"gamma must not be negative, got {gamma}")
    ```

    ## Use instead

    ```python
    @_effect
    def _check_gamma(failed: torch.Tensor, gamma: torch.Tensor) -> None:
        if failed:
            raise ValueError(f"gamma must not be negative, got {gamma}")

    _check_gamma((gamma < 0.0).any(), gamma)
    ```

    The condition is computed in the graph; the message is made only when the check fails.

    ## Fix safety

    Type and message of the exception are the original's, compiled or not. The fix is unsafe where the function has
    changed something that outlives it before the check: compiled code may not have carried that out when it raises.

    Refused: exceptions that a `try` of the file would catch, checks inside of a `with` block, arms that do more than
    raise, exception classes that the module does not know, and messages with values of unknown type. An `assert` of a
    plain tensor with a literal message is left alone: Dynamo takes it. `torch._check_tensor_all(x)` reads `x` on the
    host: it becomes an op too, or, where the module can be imported without torch, an asynchronous assertion, which is
    unsafe.
    """

    code = "TR103"
    registry = ("GB0170", "GB0088")
    nodes = (ast.If, ast.Assert, ast.Expr)
    anywhere = True

    def find(self, node: ast.If | ast.Assert | ast.Expr, facts: Facts) -> Iterator[Finding]:
        """One finding per guard."""
        function = facts.function_of(node)
        if isinstance(node, ast.Expr):
            yield from self._checks(node, facts)
            return
        if function is None or not facts.regions.of(function) or facts.regions.left_alone(node):
            return
        if facts.helpers.in_sink(node):
            return
        outcome = study(node, facts) if facts.sinks.reads(node.test) else None
        if outcome is None:
            return
        predicate = split(node.test, facts)
        evidence = (
            predicate.evidence if predicate is not None else Evidence(Level.PROVED, "it reads a tensor on the host")
        )
        message = f"a check of the value of a tensor, `{ast.unparse(node.test)}`"
        unsafe = isinstance(outcome, Guard) and outcome.sink.changes
        yield self.finding(node, facts, message, evidence, outcome, Safety.UNSAFE if unsafe else Safety.SAFE)

    def _checks(self, node: ast.Expr, facts: Facts) -> Iterator[Finding]:
        """`torch._check_tensor_all(x)`; the function may be one that only code of other files calls."""
        found = check(node, facts) if isinstance(node.value, ast.Call) else None
        found = None if facts.regions.left_alone(node) else found
        function = facts.function_of(node)
        if found is None or function is None or facts.regions.of(function).evidence.level is Level.NO:
            return
        evidence = Evidence(Level.PROVED, "torch reads it on the host")
        unsafe = isinstance(found, Check) and found.sink is None
        message = f"a check of the value of a tensor, `{ast.unparse(node)}`"
        yield self.finding(node, facts, message, evidence, found, Safety.UNSAFE if unsafe else Safety.SAFE)

    def cut(self, plan: Guard | Check, bench: Bench) -> Fix | NoFix:
        """Replace the check by the call of its op."""
        from ..craft.sink import check_fix, guard_fix

        return check_fix(plan, bench) if isinstance(plan, Check) else guard_fix(plan, bench)
