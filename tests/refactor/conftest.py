"""A small smith for the tests of the shell: its rules are calls by name, so that each case says what it is about."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import click.testing
import pytest

import refactor.engine
from refactor.cli import main
from refactor.engine import Options
from refactor.transforms.model import Condition, Edit, Evidence, Finding, Fix, Level, NoFix, RuleSettings, Safety, Span
from refactor.transforms.source import Source

_PROVED = Evidence(Level.PROVED, "it is called so")
# name of the call -> code, safety, evidence, what the name becomes
_CALLS = {
    "bad": ("TR101", Safety.SAFE, _PROVED, "good"),
    "worse": ("TR102", Safety.SAFE, _PROVED, "bad"),
    "risky": ("TR103", Safety.UNSAFE, _PROVED, "changed"),
    "guess": ("TR104", Safety.UNSAFE, Evidence(Level.ASSUMED, "nothing says otherwise"), "guessed"),
    "advice": ("TR105", Safety.DISPLAY, _PROVED, ""),
    "stuck": ("TR201", None, _PROVED, ""),
    "flip": ("TR301", Safety.SAFE, _PROVED, "flop"),
    "flop": ("TR301", Safety.SAFE, _PROVED, "flip"),
    "when": ("TR401", Safety.SAFE, _PROVED, "chosen"),
    "broken": ("TR302", Safety.SAFE, _PROVED, "1x"),
}


class CallSmith:
    """Renames calls; a fix replaces the whole call, so that nested ones overlap."""

    def find(self, source: Source, select: Collection[str] | None, settings: RuleSettings) -> list[Finding]:
        calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        found = [self._finding(source, call) for call in calls if call.func.id in _CALLS]
        return sorted(
            (f for f in found if select is None or f.code in select), key=lambda f: (f.span.start, f.span.end)
        )

    def _finding(self, source: Source, call: ast.Call) -> Finding:
        code, safety, evidence, becomes = _CALLS[call.func.id]
        place = source.place(call)
        refusal = NoFix("nothing fits", "write it by hand") if safety is None else None
        return Finding(
            code=code,
            name=f"{call.func.id}-call",
            message=f"`{call.func.id}` is called",
            span=place.span,
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
            evidence=evidence,
            safety=safety,
            refusal=refusal,
            plan=None if refusal else (call.func.id, becomes),
        )

    def cut(self, source: Source, finding: Finding, settings: RuleSettings) -> Fix | NoFix:
        old, new = finding.plan
        text = source.text[finding.span.start : finding.span.end]
        conditions = ()
        if old == "when":
            # `when(CONDITION)`: the condition is what stands between the parentheses.
            line, column = source.position(finding.span.start + 5)
            conditions = (Condition(line, column, Span(finding.span.start + 5, finding.span.end - 1)),)
        edits = (Edit(finding.span, new + text[len(old) :]),)
        return Fix(edits, finding.safety, f"call `{new}`", conditions=conditions)

    def compose(self, source: Source, fixes: Sequence[Fix]) -> tuple[Edit, ...]:
        return tuple(sorted(edit for fix in fixes for edit in fix.edits))

    def apply_edits(self, text: str, edits: Iterable[Edit]) -> str:
        for edit in sorted(edits, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return text


CODES = frozenset({"TR101", "TR102", "TR103", "TR104", "TR105", "TR201", "TR301", "TR302", "TR401", "TR900"})


@pytest.fixture
def smith() -> CallSmith:
    return CallSmith()


@pytest.fixture
def everything() -> Options:
    """The options of a run that looks for every rule and runs nothing."""
    return Options(select=CODES)


Invoke = Callable[..., click.testing.Result]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run a command in an empty working directory, with the smith above under the rules' codes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(refactor.engine, "default_smith", CallSmith)
    monkeypatch.setattr("refactor.commands.codes", lambda: tuple(sorted(CODES)))
    runner = click.testing.CliRunner()

    def run(*arguments: str, **more: object) -> click.testing.Result:
        result = runner.invoke(main, arguments, **more)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run
