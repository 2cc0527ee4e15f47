"""How many wrong rewrites the judge refutes, and how many right ones it lets pass: run me for the rates.

A file in `mutants/` is a program, followed by sections that begin with `# wrong: KIND` or `# right: KIND`. A section
holds definitions that stand in the place of the program's definitions of the same name; new ones go before them.

With `--pairs FOLDER ORIGINALS` the rewrites are whole files instead, `FOLDER/wrong/NUMBER_KIND.py` and
`FOLDER/right/NUMBER_KIND.py`, of the program whose name begins with the same number in `ORIGINALS`.

usage: python tests/verify/kill_rate.py [--given] [--found] [--jobs N] [--pairs FOLDER ORIGINALS] [PART OF A NAME ...]
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from refactor.verify.launch import judge
from refactor.verify.verdict import Request, Verdict

FOLDER = Path(__file__).with_name("mutants")
_SECTION = re.compile(r"^# (wrong|right): (.+)\n", re.MULTILINE)
_HARNESS = ("make_callable", "make_inputs", "RAISES")
# What shows a wrong rewrite is wrong, and is no part of it.
_PROOF = ("witness", "prepare")


@dataclass(frozen=True)
class Mutant:
    """One rewrite of one program; `wrong` says what the verdict must be."""

    path: Path
    kind: str
    wrong: bool
    old: str
    new: str

    @property
    def name(self) -> str:
        """`PROGRAM: KIND`."""
        return f"{self.path.stem}: {self.kind}"

    def judged(self, given: bool) -> Verdict:
        """The verdict, with the program's own calls or with calls that are found."""
        if given:
            return judge(Request(self.old, self.new, str(self.path), "make_callable", "make_inputs"))
        old, new = (without(text, _HARNESS) for text in (self.old, self.new))
        return judge(Request(old, new, str(self.path), timeout_s=60.0))


def mutants() -> Iterator[Mutant]:
    """All of them, in the order of the files."""
    for path in sorted(FOLDER.glob("*.py")):
        program, *sections = _SECTION.split(path.read_text(encoding="utf-8"))
        for verdict, kind, body in zip(sections[::3], sections[1::3], sections[2::3], strict=True):
            yield Mutant(path, kind, verdict == "wrong", program, _replaced(program, body))


def _replaced(program: str, body: str) -> str:
    tree, new = ast.parse(program), ast.parse(body).body
    held = {
        node.name: index for index, node in enumerate(tree.body) if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    added = [node for node in new if getattr(node, "name", "") not in held]
    for node in new:
        if getattr(node, "name", "") in held:
            tree.body[held[node.name]] = node  # type: ignore[attr-defined]  # it has a name
    first = min(held[node.name] for node in new if getattr(node, "name", "") in held)  # type: ignore[attr-defined]
    tree.body[first:first] = added
    return f"{ast.unparse(tree)}\n"


def pairs(folder: Path, originals: Path) -> Iterator[Mutant]:
    """All rewrites that are whole files, in the order of their names."""
    for path in sorted([*folder.glob("wrong/*.py"), *folder.glob("right/*.py")]):
        (original,) = originals.glob(f"{path.stem.partition('_')[0]}_*.py")
        new = without(path.read_text(encoding="utf-8"), _PROOF)
        old = original.read_text(encoding="utf-8")
        yield Mutant(original, path.stem, path.parent.name == "wrong", old, new)


def without(text: str, names: tuple[str, ...]) -> str:
    """A text without its docstring and without the definitions of some names."""
    tree = ast.parse(text)
    docstring = tree.body[:1] if ast.get_docstring(tree) is not None else []
    tree.body = [node for node in tree.body if node not in docstring and not _defines(node, names)]
    return f"{ast.unparse(tree)}\n"


def _defines(node: ast.stmt, names: tuple[str, ...]) -> bool:
    bound = [target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)]
    return getattr(node, "name", "") in names or any(name in names for name in bound)


def main() -> int:
    """Print a line for each verdict that is not as it should be, and the rates; 1 where a right one is refuted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--given", action="store_true")
    parser.add_argument("--found", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--pairs", nargs=2, type=Path)
    asked = parser.parse_args()
    every = pairs(*asked.pairs) if asked.pairs else mutants()
    chosen = [mutant for mutant in every if not asked.parts or any(part in mutant.name for part in asked.parts)]
    refuted_right = 0
    for given in (True, False):
        if (asked.given if given else asked.found) or not (asked.given or asked.found):
            refuted_right += _rates(chosen, given, asked.jobs)
    return 1 if refuted_right else 0


def _rates(chosen: list[Mutant], given: bool, jobs: int) -> int:
    """Print them; how many right ones are refuted."""
    way = "given" if given else "found"
    counts = Counter[tuple[bool, str]]()
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, verdict in zip(chosen, pool.map(lambda m: m.judged(given), chosen), strict=True):
            counts[mutant.wrong, verdict.status] += 1
            if verdict.status != ("REFUTED" if mutant.wrong else "VERIFIED"):
                sort = "wrong" if mutant.wrong else "right"
                print(f"{way} calls, {sort}, {mutant.name}: {verdict.status}: {verdict.reasons[0][:160]}", flush=True)
    wrong = sum(mutant.wrong for mutant in chosen)
    print(
        f"{way} calls: {counts[True, 'REFUTED']} of {wrong} wrong refuted, "
        f"{counts[False, 'VERIFIED']} of {len(chosen) - wrong} right verified, {counts[False, 'REFUTED']} refuted",
        flush=True,
    )
    return counts[False, "REFUTED"]


if __name__ == "__main__":
    sys.exit(main())
