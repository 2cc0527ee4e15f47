"""Rewrites a program with every rule and holds the rewrite against the original."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

from refactor.engine import Options, Rewrite, rewrite
from refactor.transforms.rule import registry
from refactor.verify.clock import Deadline
from refactor.verify.trial import Scope, try_out
from refactor.verify.verdict import Request, Verdict

VARIATIONS_S = 1.0


class FaultError(AssertionError):
    """The tool did something wrong with a program."""


@dataclass(frozen=True)
class Judged:
    """What came of one program: the rewrite, and the verdict where something was rewritten."""

    rewrite: Rewrite
    verdict: Verdict | None


def judged(text: str, unsafe: bool = False, compiled: bool = True, seed: int = 0) -> Judged:
    """Rewrite a program and judge the rewrite in this process.

    Raises:
        FaultError: the rewrite is refuted, worse, not stable, or no Python.
    """
    options = Options(frozenset(registry()), unsafe_fixes=unsafe, verify="off")
    result = rewrite(text, "program.py", options)
    if not result.changed:
        return Judged(result, None)
    ast.parse(result.new)
    again = rewrite(result.new, "program.py", options)
    if again.changed:
        raise FaultError(f"a second pass changes the text again: {[item.key.code for item, _ in again.fixes]}")
    request = Request(
        old=text,
        new=result.new,
        path=str(Path(gettempdir()) / "program.py"),
        factory="make_callable",
        inputs="make_inputs",
        declared=tuple(change for item, _ in result.fixes for change in item.fix.changes),
        seed=seed,
        examples=8,
        timeout_s=60.0,
    )
    verdict = try_out(
        request, lambda _: None, scope=Scope(Deadline(VARIATIONS_S, 10 * VARIATIONS_S), compiled=compiled, arms=False)
    )
    codes = sorted({item.key.code for item, _ in result.fixes})
    if verdict.status == "REFUTED":
        raise FaultError(f"{' '.join(codes)}: {'; '.join(verdict.reasons)}\n{verdict.counterexample or ''}")
    if verdict.before and verdict.after and verdict.after.worse_than(verdict.before):
        raise FaultError(f"{' '.join(codes)}: worse: {verdict.before} -> {verdict.after}")
    return Judged(result, verdict)
