"""TR106."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.absent import Answer, answers
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class AbsentInput(Rule):
    """A question about a tensor that has one answer where an optional input is absent.

    ## What it does

    Finds `.any()` and `.all()` that decide on the host, of tensors which are made of ones or zeros where an optional
    input is None, also in a function of the file that is given such a tensor. Where the input is absent, the answer is
    written down; where it is given, the tensor is asked as before.

    ## Why

    Reading a tensor on the host cuts the graph, although the caller who gave no mask can only mean one thing.

    ## Example

    ```python
    if mask is None:
        mask = torch.ones(x.shape[:2], device=x.device)
    if mask.all():
        return self.fast(x)
    ```

    ## Use instead

    ```python
    mask_absent = mask is None
    if mask is None:
        mask = torch.ones(x.shape[:2], device=x.device)
    if True if mask_absent else mask.all():
        return self.fast(x)
    ```

    ## Fix safety

    Safe: what the tensor holds follows from the statements between, step by step. Unsafe where the tensor went through
    `get_extended_attention_mask` of transformers, which another file defines.

    Refused, without a finding, where anything between is not known: other operations, loops, changes in place.
    """

    code = "TR106"
    registry = ("GB0170", "GB0124")
    nodes = (ast.FunctionDef,)

    def find(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per question."""
        if not facts.regions.of(node):
            return
        for answer in answers(node, facts):
            absent = " and ".join(f"`{name}`" for name in answer.inputs)
            message = f"`{ast.unparse(answer.question)}` is {answer.outcome} where {absent} is absent"
            evidence = Evidence(Level.PROVED, "the tensor is made of one number then")
            safety = Safety.UNSAFE if answer.assumed else Safety.SAFE
            yield self.finding(answer.question, facts, message, evidence, answer, safety)

    def cut(self, plan: Answer, bench: Bench) -> Fix | NoFix:
        """Answer it from what is absent."""
        from ..craft.absent import answer_fix

        return answer_fix(plan, bench)
