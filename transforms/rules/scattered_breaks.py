"""TR304."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.gather import Gathering, gathering, moved_along
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class ScatteredBreaks(Rule):
    """Graph breaks that no rule removes, several of them in one function.

    ## What it does

    Finds functions that may run under `torch.compile` with several breaks for which there is no cure, and moves the
    statements that hold them, with the little that stands between, into one function that Dynamo leaves alone. A break
    in a comprehension, or in a function that a loop calls, counts several times: the frames around it are skipped.

    ## Why

    Each break costs a cut, and the code around it is compiled in pieces; for one in a loop or a block the whole frame
    is skipped. A call of a disabled function is one break, and what stands before and behind it is captured.

    ## Example

    ```python
    def rank(tokens, scores):
        scores = scores.log_softmax(-1)
        kept = []
        for token, score in zip(tokens, scores):
            if score.item() > -4:
                kept.append(token)
        return torch.stack(kept)
    ```

    ## Use instead

    ```python
    @torch.compiler.disable
    def _rank_on_host(tokens, scores):
        kept = []
        for token, score in zip(tokens, scores):
            if score.item() > -4:
                kept.append(token)
        return torch.stack(kept)


    def rank(tokens, scores):
        scores = scores.log_softmax(-1)
        return _rank_on_host(tokens, scores)
    ```

    A function that is compiled itself runs in Python then (`@torch._dynamo.decorators.skip`), which leaves no break at
    all; what stands before and behind the statements becomes functions that are compiled, where it computes enough to
    be worth a frame. There one break is enough, if it stands in a `try` or `with`, or in a function that is called.

    Where a container of unknown length would come out of the new function, what stands behind moves along: Dynamo would
    compile it again for each length.

    ## Fix safety

    Safe: the same statements run in the same order on the same values.

    Refused: layers, or more than a few tensor operations, among the statements, as they would leave the graph; a
    `return` on some of their paths; names that may be unbound. Where only a loop breaks that can be taken apart,
    `breaking-loop` (TR401) keeps more in graphs.
    """

    code = "TR304"
    registry = ("GB7000",)
    nodes = (ast.FunctionDef,)

    def find(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per function."""
        if not facts.regions.of(node) or facts.regions.left_alone(node) or node.name == "__init__":
            return
        outcome = gathering(node, facts)
        if isinstance(outcome, Gathering) and not moved_along(node, facts):
            count = len(outcome.sites)
            message = f"{count} break{'s' * (count > 1)} in `{node.name}` that stay{'s' * (count == 1)}"
            evidence = Evidence(Level.PROVED, "one break comes in the place of several")
            yield self.finding(outcome.statements[0], facts, message, evidence, outcome)

    def cut(self, plan: Gathering, bench: Bench) -> Fix | NoFix:
        """Move the statements."""
        from ..craft.driver import drive
        from ..craft.gather import gather

        inline = plan.driver is not None and plan.part is None
        edits = drive(plan.driver, bench) if plan.driver is not None and inline else gather(plan, bench)
        if isinstance(edits, NoFix):
            return edits
        summary = "run the breaks in Python" if inline else "move the breaks into one function that Dynamo leaves alone"
        return Fix(tuple(edits), Safety.SAFE, summary)
