"""The case files of the rules: tests/rules/NAME/*.py, each one input with the output it must become.

A case begins with optional header lines, then comes the input, then, where something must change, a line `# output` and
the expected output. A case without `# output` must stay as it is. The headers:

    # flags: --unsafe-fixes --max-unroll=4     settings that differ from the defaults
    # select: TR101,TR103                      the rules to apply; that of the folder by default
    # refuses: part of the reason              a finding must be left with that reason (may be repeated)
    # runs: make_callable make_inputs          run old against new: same behaviour, and a gain (see `Verdict.gains`)

Blank lines before `# output` and at the end of the file belong to neither text. In a case file without a last newline,
neither the input nor the output has one.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import io
import re
import shlex
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from refactor.passes import Aim, Outcome, settle
from refactor.target_torch import installed
from refactor.transforms import smith
from refactor.transforms.facts.sinks import NEEDS_TORCH
from refactor.transforms.model import RuleSettings
from refactor.transforms.rule import Rule, registry
from refactor.verify.launch import judge
from refactor.verify.verdict import Request

FOLDER = Path(__file__).resolve().parent
RULES = tuple(registry().values())
CODES = {rule.name: rule.code for rule in RULES}
HEADER = re.compile(r"# (flags|select|refuses|runs): (.+?)[ \t]*(?:\r\n|\r|\n)")
DIVIDER = re.compile(r"^# output[ \t]*(?:\r\n|\r|\n)", re.MULTILINE)
TRAILING_BLANKS = re.compile(r"(\r\n|\r|\n)[ \t\r\n]*\Z")


@dataclass(frozen=True)
class Case:
    """One case file; `output` is None where the input must stay as it is."""

    path: Path
    headers: tuple[tuple[str, str], ...]
    input: str
    output: str | None

    @classmethod
    def read(cls, path: Path) -> Case:
        """Read a case file, its line endings as they are."""
        text = path.read_bytes().decode("utf-8")
        headers = []
        while found := HEADER.match(text):
            headers.append((found[1], found[2]))
            text = text[found.end() :]
        before, *after = (TRAILING_BLANKS.sub(r"\1", part) for part in DIVIDER.split(text))
        if len(after) > 1:
            raise ValueError(f"{path}: more than one `# output` line")
        if after and not after[0].endswith(("\r", "\n")):
            before = before.rstrip("\r\n")
        return cls(path, tuple(headers), before, after[0] if after else None)

    def values(self, name: str) -> list[str]:
        """The values of a header, in order."""
        return [value for key, value in self.headers if key == name]

    @property
    def rule(self) -> str:
        """The name of the rule whose folder the case stands in."""
        return self.path.parent.name

    @property
    def expected(self) -> str:
        """What the input must become."""
        return self.input if self.output is None else self.output

    @cached_property
    def aim(self) -> Aim:
        """What to look for, and which fixes to make."""
        selected = [code.strip() for value in self.values("select") for code in value.split(",")]
        risky, settings = parse_flags(" ".join(self.values("flags")))
        return Aim(frozenset(selected or [CODES[self.rule]]), False, risky, settings)

    def rewrite(self, text: str) -> Outcome:
        """What the rules of the case make of a text."""
        return settle(text, self.path.name, self.aim, {}, smith)


def parse_flags(flags: str) -> tuple[bool, RuleSettings]:
    """Whether `--unsafe-fixes` is among the flags, and the settings that the others name."""
    risky, settings = False, RuleSettings()
    for flag in shlex.split(flags):
        key, _, value = flag.removeprefix("--").replace("-", "_").partition("=")
        if key == "unsafe_fixes":
            risky = True
        else:
            kind = type(getattr(settings, key))
            settings = dataclasses.replace(settings, **{key: kind(value)})
    return risky, settings


def comments(text: str) -> collections.Counter[str]:
    """The comments of a text, each as often as it occurs."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return collections.Counter(token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT)


def identify(case: Case) -> str:
    """The name of a case in the test report."""
    return f"{case.rule}/{case.path.stem}"


CASES = [Case.read(path) for path in sorted(FOLDER.glob("*/*.py"))]
CHANGING = [case for case in CASES if case.output is not None]
RUNNING = [case for case in CHANGING if case.values("runs")]
RUN_BY_DEFAULT = 3  # of each rule


def running() -> Iterator[object]:
    """The cases that are run; those beyond the first of each rule are slow in all."""
    seen: collections.Counter[str] = collections.Counter()
    for case in RUNNING:
        seen[case.rule] += 1
        marks = [pytest.mark.slow] if seen[case.rule] > RUN_BY_DEFAULT else []
        yield pytest.param(case, marks=marks, id=identify(case))


@pytest.mark.parametrize("case", CASES, ids=identify)
def test_the_input_becomes_the_output(case: Case) -> None:
    outcome = case.rewrite(case.input)
    assert outcome.new == case.expected
    assert outcome.notes == ()
    reasons = [left.reason for left in outcome.left]
    for wanted in case.values("refuses"):
        assert any(wanted in reason for reason in reasons), f"no finding was refused with {wanted!r}: {reasons}"


@pytest.mark.parametrize("case", CHANGING, ids=identify)
def test_the_output_stays_as_it_is(case: Case) -> None:
    assert case.rewrite(case.expected).new == case.expected


@pytest.mark.parametrize("case", CHANGING, ids=identify)
def test_the_output_parses_and_keeps_every_comment(case: Case) -> None:
    ast.parse(case.expected)
    assert comments(case.input) - comments(case.expected) == collections.Counter()


@pytest.mark.parametrize("case", list(running()))
def test_the_output_behaves_the_same_and_breaks_less(case: Case) -> None:
    (names,) = case.values("runs")
    factory, inputs = names.split()
    outcome = case.rewrite(case.input)
    if "_register_effectful_op" in outcome.new and (installed() or NEEDS_TORCH) < NEEDS_TORCH:
        pytest.skip("the installed torch is too old for what it becomes, so that it is refused there")
    request = Request(
        old=case.input,
        new=outcome.new,
        path=str(case.path),
        factory=factory,
        inputs=inputs,
        conditions=tuple(place for item in outcome.applied for place in item.conditions),
        declared=tuple(change for item in outcome.applied for change in item.fix.changes),
        seed=0,
        examples=8,
        timeout_s=240.0,
        memory_mb=8192,
    )
    verdict = judge(request)
    assert verdict.status == "VERIFIED", (verdict.reasons, verdict.counterexample)
    assert verdict.gains, (verdict.before, verdict.after)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_has_at_least_as_many_cases_that_stay_as_cases_that_change(rule: Rule) -> None:
    changing = [case.path.name for case in CHANGING if case.rule == rule.name]
    staying = [case.path.name for case in CASES if case.rule == rule.name and case.output is None]
    assert bool(changing) != rule.last, f"tests/rules/{rule.name}/ needs a case with an `# output` line"
    assert staying
    assert len(staying) >= len(changing), f"{len(staying)} stay, {len(changing)} change"


def test_every_folder_belongs_to_a_rule() -> None:
    assert {case.rule for case in CASES} <= set(CODES)


def test_every_pattern_of_other_packages_has_a_case() -> None:
    """`pattern_NN_…`: what was met in the packages of others (number 21 is about measuring, see tests/verify)."""
    numbers = {int(found[1]) for case in CASES if (found := re.match(r"pattern_(\d\d)_", case.path.name))}
    assert numbers == set(range(1, 23)) - {21}
