"""The documentation of rules: rendered on a terminal, plain Markdown elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from .. import suppress
from ..codes import META
from ..transforms.rule import registry


@dataclass(frozen=True)
class Page:
    """One rule's page; `documentation` is Markdown without the title."""

    code: str
    name: str
    registry: tuple[str, ...]
    documentation: str

    @property
    def markdown(self) -> str:
        """The page with its title."""
        hints = f"\n\nGraph-break registry: {', '.join(self.registry)}\n" if self.registry else "\n"
        return f"# {self.name} ({self.code})\n\n{self.documentation.strip()}{hints}"

    def plain(self) -> dict[str, Any]:
        """The page as JSON-ready data."""
        summary, _, _ = self.documentation.strip().partition("\n")
        return {
            "code": self.code,
            "name": self.name,
            "summary": summary,
            "registry": list(self.registry),
            "documentation": self.documentation,
        }


def pages() -> list[Page]:
    """The pages of all rules, by code; those that the shell itself reports come last."""
    found = [Page(code, rule.name, rule.registry, rule.documentation) for code, rule in registry().items()]
    return [*found, Page(META, suppress.NAME, (), suppress.DOCUMENTATION)]


def show(chosen: Sequence[Page]) -> None:
    """Print pages."""
    context = click.get_current_context()
    if not sys.stdout.isatty() or context.color is False:
        click.echo("\n\n".join(page.markdown.rstrip() for page in chosen))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    for page in chosen:
        console.print(Markdown(page.markdown))
