"""Write docs/rules/ from the rules' docstrings: one page a rule, and the table of all of them.

With `--check` nothing is written; the stale pages are named, and the exit status is 1 where there are any.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from refactor.transforms.remedies import page as address
from refactor.transforms.rule import Rule, registry

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "rules"
ORIGIN = "<!-- Generated from the docstring in transforms/rules/{}; run `make docs` after a change. -->"
FAMILIES = {
    "1": "Conditions",
    "2": "Values",
    "3": "Effects",
    "4": "Loops and blocks",
    "5": "Guards",
    "9": "What no rule rewrites",
}


def link(identifier: str) -> str:
    """A Markdown link to the page of a graph-break registry id such as GB0170."""
    return f"[{identifier}]({address(identifier)})"


def page(rule: Rule) -> str:
    """The page of one rule."""
    origin = ORIGIN.format(rule.name.replace("-", "_") + ".py")
    causes = f"Graph breaks: {', '.join(map(link, rule.registry))}" if rule.registry else ""
    parts = [origin, f"# {rule.name} ({rule.code})", rule.documentation, causes]
    return "\n\n".join(part for part in parts if part) + "\n"


def index(rules: Iterable[Rule]) -> str:
    """The table of all rules, by family."""
    parts = [ORIGIN.format(""), "# Rules", "`refactor rule CODE` prints a rule's page in the terminal."]
    family = ""
    for rule in rules:
        if rule.code[2] != family:
            family = rule.code[2]
            parts.append(f"## {FAMILIES[family]}\n\n| code | name | what it finds |\n| --- | --- | --- |")
        parts[-1] += f"\n| {rule.code} | [{rule.name}]({rule.name}.md) | {rule.summary} |"
    return "\n\n".join(parts) + "\n"


def pages() -> dict[Path, str]:
    """What docs/rules/ must hold, by path."""
    rules = registry().values()
    return {FOLDER / "index.md": index(rules), **{FOLDER / f"{rule.name}.md": page(rule) for rule in rules}}


def stale(wanted: dict[Path, str]) -> list[Path]:
    """The pages that are missing, differ, or belong to no rule."""
    differing = [p for p, text in wanted.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    return sorted([*differing, *(set(FOLDER.glob("*.md")) - set(wanted))])


def main() -> int:
    """Write the pages, or check them; the exit status is 1 where a check fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 where a page is stale")
    checking = parser.parse_args().check
    wanted = pages()
    for path in (outdated := stale(wanted)):
        if checking:
            print(f"{path.relative_to(ROOT)}: stale, run `make docs`", file=sys.stderr)
        elif path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
    return int(checking and bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
