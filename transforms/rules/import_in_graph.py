"""TR305."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.probes import Import, asked, caught, foreign, words
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule
from ..trees import walk


@dataclass(frozen=True, slots=True)
class Plan:
    """Imports that may fail, directly in a `try`, and the exception that their failure raises."""

    imports: tuple[Import, ...]
    raised: str


class ImportInGraph(Rule):
    """An import that may fail, in code that is compiled.

    ## What it does

    Finds `try: import …` with a handler for the failure, in code that may run under `torch.compile`, and asks before
    the import, while tracing, whether it will work.

    ## Why

    Dynamo traces an import that works. One that fails ends the graph, though the handler knows what to do.

    ## Example

    ```python
    def load_kernel():
        try:
            from fast_kernels import fused
        except ImportError:
            return None
        return fused
    ```

    ## Use instead

    ```python
    def load_kernel():
        try:
            if torch.compiler.is_compiling() and _can_import("fast_kernels", "fused") is None:
                raise ImportError
            from fast_kernels import fused
        except ImportError:
            return None
        return fused
    ```

    ## Fix safety

    Outside of compiled code nothing changes. Compiled code asks when it is compiled: a package that is installed later
    is met by the next compilation.

    Refused: relative imports, and handlers that look at the exception, whose text would be another one. Where the
    import can stand at the top of the file, that is better.
    """

    code = "TR305"
    registry = ()
    nodes = (ast.Try,)

    def find(self, node: ast.Try, facts: Facts) -> Iterator[Finding]:
        """One finding per `try` with imports that may fail."""
        if asked(node, facts):
            return
        imports = [s for s in node.body if isinstance(s, Import) and foreign(s)]
        handlers = {h: caught(h, facts) for h in node.handlers}
        catching = next((h for h, names in handlers.items() if names), None)
        if not imports or catching is None:
            return
        outcome: Plan | NoFix = Plan(tuple(imports), "ImportError")
        if any(isinstance(s, ast.ImportFrom) and s.level for s in imports):
            outcome = NoFix("a relative import can not be asked for by name")
        elif catching.name is not None or any(isinstance(n, ast.Raise) for n in walk(catching)):
            outcome = NoFix("its handler looks at the exception")
        elif handlers[catching] == {"builtins.ModuleNotFoundError"}:
            outcome = NoFix("its handler takes only some failures of an import")
        evidence = Evidence(Level.PROVED, "what an import finds is settled when the code is compiled")
        yield self.finding(imports[0], facts, "an import in the graph may fail", evidence, outcome)

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Ask above each import."""
        if not all(bench.alone([s]) for s in plan.imports):
            return NoFix("it shares its line with another statement")
        helper, edits = bench.helper("_can_import"), []
        for s in plan.imports:
            named = [repr(w).replace("'", '"') for w in words(s)]
            test = f"{bench.torch(s)}.compiler.is_compiling() and {helper}({', '.join(named)}) is None"
            text = bench.lines(f"if {test}:\n    raise {plan.raised}", bench.margin(s))
            edits.append(bench.insert_before(s, text))
        return Fix(tuple(edits), Safety.SAFE, "ask while tracing whether the import works")
