"""How many programs the judge decides without help: run me for the figures.

The programs of a folder define `make_callable` and `make_inputs`; these are taken out. Each program is judged against
copies that do the same:

- `formatted`: printed anew from its tree, with a comment at the end;
- `touched`: the same, with a statement without effect in each function, so that all of them count as changed;
- `rewritten`: what this tool makes of it by safe fixes; programs that it leaves as they are do not count.

With `--given` the programs keep what they define, and `refactor verify OLD NEW --factory make_callable --inputs
make_inputs` is asked about a copy with a comment at the end.

usage: python tests/verify/decision_rate.py FOLDER [--given] [--only formatted|touched|rewritten] [PART OF A NAME ...]
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from refactor.verify.launch import judge
from refactor.verify.verdict import Request


def _without() -> Callable[[str, tuple[str, ...]], str]:
    spec = importlib.util.spec_from_file_location("kill_rate", Path(__file__).with_name("kill_rate.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kill_rate"] = module
    spec.loader.exec_module(module)
    return module.without


def formatted(text: str) -> str:
    """The same program under other formatting."""
    return f"{ast.unparse(ast.parse(text))}\n# the end\n"


def touched(text: str) -> str:
    """The same program with a statement without effect in each function."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            at = 1 if ast.get_docstring(node) is not None else 0
            node.body.insert(at, ast.parse("_ = None").body[0])
    return f"{ast.unparse(ast.fix_missing_locations(tree))}\n"


def rewritten(text: str) -> str:
    """What this tool makes of it."""
    command = [sys.executable, "-m", "refactor", "apply", "--isolated", "--verify", "off", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return run.stdout


COPIES = {"formatted": formatted, "touched": touched, "rewritten": rewritten}


def programs(folder: Path, parts: list[str]) -> Iterator[tuple[Path, str]]:
    """The programs of a folder, in order."""
    for path in sorted(folder.glob("*.py")):
        if not parts or any(part in path.name for part in parts):
            yield path, path.read_text(encoding="utf-8")


def found(folder: Path, parts: list[str], name: str) -> int:
    """Print what was decided about one sort of copy; how many are refuted."""
    without, statuses = _without(), Counter[str]()
    for path, text in programs(folder, parts):
        old = without(text, ("make_callable", "make_inputs", "RAISES"))
        new = COPIES[name](old)
        if not new or (name == "rewritten" and new == old):
            continue
        verdict = judge(Request(old, new, str(path), timeout_s=60.0))
        statuses[verdict.status] += 1
        if verdict.status != "VERIFIED":
            print(f"{name}, {path.name}: {verdict.status}: {verdict.reasons[0][:160]}", flush=True)
    total = sum(statuses.values())
    decided = total - statuses["UNVERIFIED"]
    print(f"{name}: {decided} of {total} decided, {statuses['REFUTED']} refuted", flush=True)
    return statuses["REFUTED"]


def given(folder: Path, parts: list[str]) -> int:
    """Print what the command says with given calls; how many are not verified."""
    statuses = Counter[str]()
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in programs(folder, parts):
            new = Path(scratch, path.name)
            new.write_text(f"{text}# the end\n", encoding="utf-8")
            command = [sys.executable, "-m", "refactor", "verify", str(path), str(new), "--no-cache", "--isolated"]
            command += ["--factory", "make_callable", "--inputs", "make_inputs", "--output-format", "concise"]
            run = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
            statuses["VERIFIED" if run.returncode == 0 else "other"] += 1
            if run.returncode:
                print(f"given, {path.name}: {run.stdout.strip() or run.stderr.strip()}", flush=True)
    print(f"given: {statuses['VERIFIED']} of {sum(statuses.values())} verified", flush=True)
    return statuses["other"]


def main() -> int:
    """Print the figures; 1 where a copy is refuted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--given", action="store_true")
    parser.add_argument("--only", choices=list(COPIES))
    asked = parser.parse_args()
    if asked.given:
        return 1 if given(asked.folder, asked.parts) else 0
    return 1 if sum(found(asked.folder, asked.parts, name) for name in ([asked.only] if asked.only else COPIES)) else 0


if __name__ == "__main__":
    sys.exit(main())
