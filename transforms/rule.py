"""What a rule declares and may ask, and the registry, which is the folder `rules/`."""

from __future__ import annotations

import abc
import ast
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from .model import Evidence, Finding, Fix, NoFix, Safety
from .remedies import remedy

if TYPE_CHECKING:
    from .craft.types import Bench
    from .facts import Facts


class Rule(abc.ABC):
    """One bad pattern and its cure.

    A subclass lives alone in `rules/<name>.py`, its docstring is its documentation (fixed headings, see
    CONTRIBUTING.md), and it declares:

    Attributes:
        code: `TRnnn`, unique.
        registry: graph-break registry ids (GBxxxx) that the pattern causes; hints, as they move between releases.
        nodes: the ast node types that `find` is called with.
        anywhere: it is asked of all code; others only of what may run compiled, and is not left alone there.
        last: it is asked after the others, whose findings are then in `facts.found`.
    """

    code: ClassVar[str]
    registry: ClassVar[tuple[str, ...]] = ()
    nodes: ClassVar[tuple[type[ast.AST], ...]] = ()
    anywhere: ClassVar[bool] = False
    last: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The slug: file name, documentation page and test folder."""
        return type(self).__module__.rpartition(".")[2].replace("_", "-")

    @property
    def documentation(self) -> str:
        """The rule's page in Markdown."""
        return inspect.cleandoc(type(self).__doc__ or "")

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.documentation.partition("\n")[0]

    @abc.abstractmethod
    def find(self, node: Any, facts: Facts) -> Iterator[Finding]:
        """Yield the findings at `node`, each with a plan or with the reason for refusing."""

    @abc.abstractmethod
    def cut(self, plan: Any, bench: Bench) -> Fix | NoFix:
        """Turn a plan into edits. Called only when a fix is wanted; libcst may be used here."""

    def finding(
        self,
        node: ast.AST,
        facts: Facts,
        message: str,
        evidence: Evidence,
        outcome: Any,
        safety: Safety = Safety.SAFE,
        registry: tuple[str, ...] = (),
    ) -> Finding:
        """Build a finding at `node`; `outcome` is a plan, or a `NoFix`; without `registry` the rule's own is named.

        A plan whose `needs_torch` is a later release than the oldest one to be supported is refused.
        """
        needed, oldest = getattr(outcome, "needs_torch", None), facts.settings.torch
        if needed is not None and oldest is not None and oldest < needed:
            reason = "what it becomes needs torch {}.{}, and {}.{} is to be supported".format(*needed, *oldest)
            outcome = NoFix(reason, "raise the project's lower bound of torch, or set `target-torch`")
        refusal = outcome if isinstance(outcome, NoFix) else None
        if refusal is not None and not refusal.remedy:
            refusal = replace(refusal, remedy=remedy(registry or self.registry))
        place = facts.source.place(node)
        return Finding(
            code=self.code,
            name=self.name,
            message=message,
            span=place.span,
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
            evidence=evidence,
            safety=None if refusal else safety,
            refusal=refusal,
            registry=registry or self.registry,
            plan=None if refusal else outcome,
        )


@functools.cache
def registry() -> dict[str, Rule]:
    """All rules by code, in order. Registration is being in the folder `rules/`.

    Raises:
        RuntimeError: two rules share a code, or a file of the folder does not hold exactly one rule.
    """
    from . import rules

    found: dict[str, Rule] = {}
    for module in sorted(pkgutil.iter_modules(rules.__path__), key=lambda m: m.name):
        if module.name.startswith("_"):
            continue
        loaded = importlib.import_module(f"{rules.__name__}.{module.name}")
        own = [
            c
            for c in vars(loaded).values()
            if inspect.isclass(c) and issubclass(c, Rule) and c.__module__ == loaded.__name__
        ]
        if len(own) != 1:
            raise RuntimeError(f"rules/{module.name}.py must define exactly one rule, it defines {len(own)}")
        rule = own[0]()
        if rule.code in found:
            raise RuntimeError(f"{rule.code} is both {found[rule.code].name} and {rule.name}")
        found[rule.code] = rule
    return dict(sorted(found.items()))
