"""TR201."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.asked import Asked, asked
from ..facts.bounds import BoundedStore, bounded_store
from ..facts.scalars import Read
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class ScalarRead(Rule):
    """A number is read out of a tensor only to meet tensors again.

    ## What it does

    Finds `x.item()`, `float(x)` and `int(x)` of 0-d tensors in code that may run under `torch.compile`, where all that
    is done with the number is arithmetic and comparisons that end in tensors; numbers that only guards ask for
    (with `len(x.nonzero())`); and stores into a slice of a tensor whose bounds are tensors.

    ## Why

    Reading a number makes Dynamo end the graph, and the device wait. The tensor that it was read from gives the same.

    ## Example

    ```python
    x = x - x.mean().item()
    x = x / x.abs().max().item()
    limit = x.std().item() * 3 + 1e-6
    self.store[:, start:end] = x  # start and end are tensors
    found = mask.sum().item()
    if found != expected:
        raise ValueError(f"{found} instead of {expected}")
    return x[:, 0].clamp(max=limit)
    ```

    ## Use instead

    ```python
    x = x - x.mean().detach()
    x = x / _scalar(x.abs().max())
    limit = _number(x.std()) * 3 + 1e-6
    _put_into_store(x, self.store, start, end)
    found = mask.sum()
    if found != expected:
        raise ValueError(f"{found} instead of {expected}")
    return x[:, 0].clamp(max=limit)
    ```

    `_scalar` and `_number` read the number outside of compiled code; while compiling they give a 0-d tensor, `_number`
    one of double precision. The store is an op whose body is the statement itself. A 0-d tensor is shown like its
    number in a message, and compares like it where both are whole; the check is then `tensor-guard`'s (TR103).

    ## Fix safety

    The tensor itself stands for the number in sums, differences, products and comparisons with tensors of its own dtype
    alone, where results and gradients are the same to the last bit. Otherwise the eager path is the original's. The fix
    is unsafe where the tensors are not made of the same inputs, as they could live on two devices, and where `float(x)`
    has to be assumed to read a floating tensor.

    Refused: numbers that Python code uses in any other way, divisors of numbers, tensors that may be changed in place
    after the read, and other tensors that may have no dimension.
    """

    code = "TR201"
    registry = ("GB0124",)
    nodes = (ast.Call, ast.Assign, ast.Subscript)

    def find(self, node: ast.Call | ast.Assign | ast.Subscript, facts: Facts) -> Iterator[Finding]:
        """One finding per read."""
        if isinstance(node, ast.Assign):
            yield from self._store(node, facts)
            return
        if facts.masks.within(node) and (question := asked(node, facts)) is not None:
            sure = Evidence(facts.kinds.of(question.tensor).level, "only guards ask for it")
            yield self.finding(node, facts, f"`{ast.unparse(node)}` reads a number for a guard", sure, question)
        if isinstance(node, ast.Subscript):
            return
        outcome = facts.scalars.read(node) if facts.masks.within(node) else None
        changes = outcome.changes if isinstance(outcome, Read) else ()
        if outcome is None or ((changes or isinstance(outcome, NoFix)) and facts.hoists.covers(node)):
            return
        value = facts.kinds.of(node.func.value if isinstance(node.func, ast.Attribute) else node.args[0])
        evidence = Evidence(value.level, value.because or "it is computed from tensors")
        message = f"`{ast.unparse(node)}` reads a number for tensors"
        yield self.finding(node, facts, message, evidence, outcome, Safety.UNSAFE if changes else Safety.SAFE)

    def _store(self, node: ast.Assign, facts: Facts) -> Iterator[Finding]:
        store = bounded_store(node, facts) if facts.masks.within(node) else None
        if store is not None:
            message = f"`{ast.unparse(node.targets[0])}` reads its bounds out of tensors"
            yield self.finding(node, facts, message, Evidence(Level.PROVED, "a bound is a tensor"), store)

    def cut(self, plan: Read | BoundedStore | Asked, bench: Bench) -> Fix | NoFix:
        """Leave the number a tensor."""
        if isinstance(plan, Asked):
            text = f"{bench.operand(plan.tensor)}.count_nonzero()" if plan.form == "count" else bench.text(plan.tensor)
            return Fix((bench.swap(plan.node, text),), Safety.SAFE, "leave the number in the graph")
        if isinstance(plan, BoundedStore):
            from ..craft.bounds import store_op

            return store_op(plan, bench)
        text = f"{bench.operand(plan.tensor)}.detach()"
        if plan.form != "tensor":
            text = f"{bench.helper(f'_{plan.form}')}({bench.text(plan.tensor)})"
        safety = Safety.UNSAFE if plan.changes else Safety.SAFE
        return Fix((bench.swap(plan.node, text),), safety, "leave the number in the graph", changes=plan.changes)
