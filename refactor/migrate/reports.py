"""Reports of a migration: pages to read offline, JSON, SARIF, and a table for a pull request."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError
from .ledger import Ledger
from .model import Outcome

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"
_PATCH = "changes.patch"


@dataclass(frozen=True)
class Line:
    """One repository in a table; `sites` are break sites before and after, where a file was run."""

    name: str
    source: str
    status: str
    revision: str
    error: str
    seconds: float
    files: int
    rewritten: int
    left_alone: int
    findings: int
    fixes: int
    dropped: int
    verified: int
    unverified: int
    sites: tuple[int, int] | None
    tests: str


def lines(ledger: Ledger) -> Iterator[Line]:
    """A line for each repository, in order of their names."""
    for name in list(ledger.names()):
        yield line(ledger.outcome(name))


def line(outcome: Outcome) -> Line:
    """The line of one repository."""
    statuses = Counter(file.status for file in outcome.files)
    verdicts = Counter(file.verdict.status for file in outcome.files if file.verdict and file.status == "rewritten")
    fixes = [fix for file in outcome.files for fix in file.fixes]
    pairs = [f.verdict.sites for f in outcome.files if f.verdict and f.verdict.sites and f.status == "rewritten"]
    dropped = sum(bool(fix.dropped) for fix in fixes)
    return Line(
        name=outcome.origin.name,
        source=outcome.origin.source,
        status=outcome.status,
        revision=outcome.revision,
        error=outcome.error,
        seconds=outcome.seconds,
        files=len(outcome.files),
        rewritten=statuses["rewritten"],
        left_alone=statuses["left alone"],
        findings=sum(len(file.findings) for file in outcome.files),
        fixes=len(fixes) - dropped,
        dropped=dropped,
        verified=verdicts["VERIFIED"],
        unverified=statuses["rewritten"] - verdicts["VERIFIED"],
        sites=(sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)) if pairs else None,
        tests=_tests(outcome),
    )


def _tests(outcome: Outcome) -> str:
    if outcome.tests is None:
        return ""
    shown = [f"{run.passed} passed" if run.passed is not None else f"exit {run.status}" for run in outcome.tests]
    return f"{shown[0]} → {shown[1]}"


def json_lines(ledger: Ledger) -> Iterator[str]:
    """One JSON document, repository by repository."""
    yield '{"schema": 1, "command": "migrate report", "repositories": ['
    for index, name in enumerate(list(ledger.names())):
        plain = asdict(ledger.outcome(name))
        for key in ("patch", "undo", "bundle"):
            del plain[key]
        yield ("," if index else "") + "\n" + json.dumps(plain, ensure_ascii=False)
    yield "\n]}\n"


def sarif(ledger: Ledger) -> Iterator[str]:
    """What is left of all repositories in one SARIF log; paths begin with the repository's name."""
    from ..report.remark import Remark
    from ..report.sarif import document
    from ..transforms.rule import registry

    rules = registry()
    remarks = []
    for name in list(ledger.names()):
        outcome = ledger.outcome(name)
        seen: Counter[str] = Counter()
        if outcome.error:
            remarks.append(Remark(name, "migrate", "migrate", outcome.error, "error", 0))
        for file in outcome.files:
            for found in file.findings:
                key = f"{name}\0{file.path}\0{found.code}\0{found.message}"
                seen[key] += 1
                remarks.append(
                    Remark(
                        path=f"{name}/{file.path}",
                        code=found.code,
                        name=rules[found.code].name if found.code in rules else found.code,
                        message=found.message,
                        level="warning",
                        line=found.line,
                        column=found.column,
                        end_line=found.line,
                        end_column=found.column,
                        details=(found.reason,) if found.reason else (),
                        fingerprint=hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()[:32],
                    )
                )
    yield document(remarks) + "\n"


def markdown(ledger: Ledger) -> Iterator[str]:
    """A table for a pull request."""
    heads = ("Repository", "Files", "Rewritten", "Fixes", "Verified", "Findings left", "Break sites", "Tests")
    yield f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}\n"
    total: Counter[str] = Counter()
    for row in lines(ledger):
        if row.status == "failed":
            yield f"| {_cell(row.name)} | failed: {_cell(row.error)} |{' |' * (len(heads) - 2)}\n"
            continue
        cells = (row.files, row.rewritten, row.fixes, row.verified, row.findings)
        total.update(dict(zip(heads[1:6], cells, strict=True)))
        sites = f"{row.sites[0]} → {row.sites[1]}" if row.sites else ""
        yield f"| {_cell(row.name)} | {' | '.join(map(str, cells))} | {sites} | {row.tests} |\n"
    yield f"| **all** | {' | '.join(str(total[head]) for head in heads[1:6])} | | |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def html(ledger: Ledger, repositories: Path, output: Path) -> Path:
    """A folder of pages that needs no network; returns the page to open.

    Args:
        ledger: what happened.
        repositories: the folder with the patches.
        output: the folder to make, in place of what is there.

    Raises:
        UserError: it cannot be written, or is a folder of something else.
    """
    index = output / "index.html"
    if output.exists() and not index.is_file() and any(output.iterdir()):
        raise UserError("is not empty and holds no report; name another folder", output)
    try:
        shutil.rmtree(output, ignore_errors=True)
        (output / "repositories").mkdir(parents=True)
        for name in ("report.css", "report.js"):
            shutil.copyfile(_TEMPLATES / name, output / name)
        environment = _environment()
        page, rows = environment.get_template("repository.html"), []
        for name in list(ledger.names()):
            outcome = ledger.outcome(name)
            rows.append(line(outcome))
            patch = repositories / name / _PATCH
            text = patch.read_bytes().decode("utf-8", "replace") if patch.exists() else ""
            content = page.render(outcome=outcome, row=rows[-1], diffs=_diffs(text))
            (output / "repositories" / f"{name}.html").write_text(content, "utf-8")
        by_rule = ledger.totals("SELECT code, count(*) FROM fixes WHERE dropped = '' GROUP BY code ORDER BY 2 DESC, 1")
        left = ledger.totals("SELECT code, count(*) FROM findings GROUP BY code ORDER BY 2 DESC, 1")
        verdicts = ledger.totals(
            "SELECT coalesce(verdict, 'not run'), count(*) FROM files WHERE status = 'rewritten' "
            "GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        charts = {"Fixes by rule": by_rule, "Verdicts of rewritten files": verdicts, "Findings left by rule": left}
        sites = [sum(row.sites[side] for row in rows if row.sites) for side in (0, 1)]
        content = environment.get_template("index.html").render(rows=rows, charts=charts, sites=sites)
        index.write_text(content, "utf-8")
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", output) from None
    return index


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _diffs(patch: str) -> dict[str, list[tuple[str, str]]]:
    """The lines of a patch by file, each with its kind: head, add, del or same."""
    files: dict[str, list[tuple[str, str]]] = {}
    current: list[tuple[str, str]] = []
    for text in patch.splitlines():
        if text.startswith("diff --git "):
            current = files.setdefault(text.rpartition(" b/")[2], [])
        elif not text.startswith(("index ", "--- ", "+++ ")):
            kind = {"+": "add", "-": "del", "@": "head"}.get(text[:1], "same")
            current.append((kind, text))
    return files
