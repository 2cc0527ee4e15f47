"""How many wrong rewrites the judge refutes, and how many right ones it lets pass: run me for the rates.

A file in `mutants/` is a program, followed by sections that begin with `# wrong: KIND` or `# right: KIND`. A section
holds definitions that stand in the place of the program's definitions of the same name; new ones go before them.

usage: python tests/verify/kill_rate.py [--given | --found] [PART OF A NAME ...]
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from refactor.verify.launch import judge
from refactor.verify.verdict import Request, Verdict

FOLDER = Path(__file__).with_name("mutants")
_SECTION = re.compile(r"^# (wrong|right): (.+)\n", re.MULTILINE)
_HARNESS = ("make_callable", "make_inputs", "RAISES")


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
        return judge(Request(_bare(self.old), _bare(self.new), str(self.path), timeout_s=60.0))


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


def _bare(text: str) -> str:
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not _is_harness(node)]
    return f"{ast.unparse(tree)}\n"


def _is_harness(node: ast.stmt) -> bool:
    names = [target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)]
    return getattr(node, "name", "") in _HARNESS or any(name in _HARNESS for name in names)


def main(arguments: list[str]) -> int:
    """Print a line for each verdict that is not as it should be, and the rates; 1 where a right one is refuted."""
    ways = [way for way in ("given", "found") if f"--{way}" in arguments] or ["given", "found"]
    parts = [argument for argument in arguments if not argument.startswith("--")]
    chosen = [mutant for mutant in mutants() if not parts or any(part in mutant.name for part in parts)]
    refuted_right = 0
    for way in ways:
        killed = passed = 0
        for mutant in chosen:
            verdict = mutant.judged(way == "given")
            killed += mutant.wrong and verdict.status == "REFUTED"
            passed += not mutant.wrong and verdict.status == "VERIFIED"
            refuted_right += not mutant.wrong and verdict.status == "REFUTED"
            if verdict.status != ("REFUTED" if mutant.wrong else "VERIFIED"):
                sort = "wrong" if mutant.wrong else "right"
                print(f"{way} calls, {sort}, {mutant.name}: {verdict.status}: {verdict.reasons[0][:160]}", flush=True)
        wrong = sum(mutant.wrong for mutant in chosen)
        print(
            f"{way} calls: {killed} of {wrong} wrong refuted, {passed} of {len(chosen) - wrong} right verified",
            flush=True,
        )
    return 1 if refuted_right else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
