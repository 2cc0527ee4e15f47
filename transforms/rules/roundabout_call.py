"""TR207."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.detours import Detour, detour
from ..model import Evidence, Finding, Fix, Level, NoFix
from ..rule import Rule


class RoundaboutCall(Rule):
    """A call that has an equal which Dynamo takes.

    ## What it does

    Finds, in code that may run under `torch.compile`: `torch.randn`, `rand` and `randint` that are given a generator
    which may be None; `sorted` over the items of a dict; integers that are made by `torch.arange` and read back;
    `int(np.prod(x.shape))`; `one_hot` whose number of classes is a tensor only to allow for any index.

    ## Why

    Each of them ends the graph, or fails when compiled, although nothing in it needs to: with `generator=None` there is
    no kernel for sizes that vary, sorting by tuples compares tensors if keys were equal, and the others read a tensor.

    ## Example

    ```python
    noise = torch.randn(x.shape, generator=generator)
    for name, value in sorted(kwargs.items()):
    axes = torch.arange(2, x.dim()).tolist()
    size = int(np.prod(x.shape[1:]))
    hot = F.one_hot(index, max(index.max() + 1, n))[..., :n]
    ```

    ## Use instead

    ```python
    noise = torch.randn(x.shape) if generator is None else torch.randn(x.shape, generator=generator)
    for name, value in sorted(kwargs.items(), key=lambda item: item[0]):
    axes = _integers(2, x.dim())
    size = math.prod(x.shape[1:])
    hot = _one_hot(index, n, lambda: F.one_hot(index, max(index.max() + 1, n))[..., :n])
    ```

    ## Fix safety

    Safe: the results are the same, and so are the exceptions. `_integers` asks torch where the bounds leave nothing,
    which may be an error. `_one_hot` runs the original outside of compiled code, and checks in the graph for negative
    indices, which the original refuses.

    Refused: generators that are more than a name, bounds that are not known to be integers, classes that are not cut
    off again.
    """

    code = "TR207"
    registry = ("GB0207", "GB0124")
    nodes = (ast.Call,)

    def find(self, node: ast.Call, facts: Facts) -> Iterator[Finding]:
        """One finding per call."""
        outcome = detour(node, facts) if facts.masks.within(node) else None
        if outcome is None:
            return
        whole = outcome.node if isinstance(outcome, Detour) else node
        evidence = Evidence(Level.PROVED, "")
        yield self.finding(whole, facts, f"`{ast.unparse(whole)}` has an equal that is traced", evidence, outcome)

    def cut(self, plan: Detour, bench: Bench) -> Fix | NoFix:
        """Replace the call."""
        from ..craft.detours import detour_fix

        return detour_fix(plan, bench)
