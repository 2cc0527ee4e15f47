"""What `refactor check` says against what Dynamo did: are the measured break sites named, do the named sites break?

    python tests/benchmarks/static_findings.py CASES BASELINE.json

CASES is a folder of case files, each with `make_callable()` and `make_inputs()`; BASELINE.json holds what Dynamo did
with each: `cases[FILE]["break_sites"]` and `["skip_sites"]`, lists of `{"at": "FILE:LINE", "explanation": ...}`.
`check --output-format json` runs over the folder, and sites are compared statement by statement: the lines of a
statement, or of the header of a compound one, are one site.

Two figures: of the sites measured in the case's own file, how many does a finding name; and of the sites named, how
many break. Findings about recompiles are left aside, exceptions that leave the compiled function on purpose are not
breaks, and a named site on a line that no input runs counts for neither side. A finding about a loop or a block names
what is in it, and breaks where anything in it does. Exit status 1 where a figure is below its aim.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import io
import json
import logging
import subprocess
import sys
import types
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMED_AIM, BREAKING_AIM = 0.90, 0.80
RECOMPILES = frozenset({"TR501", "TR502", "TR503"})
REGIONS = frozenset({"TR304", "TR401", "TR402"})
LEAVING = "no exception handler at the top-level compiled function"


@dataclass
class Sites:
    """The sites of one case file, each as the first line of its statement.

    Attributes:
        measured: with the explanation of each.
        named: with the codes and messages of each.
        regions: (first line, last line, code) of the findings about loops and blocks.
    """

    measured: dict[int, str] = field(default_factory=dict)
    named: dict[int, str] = field(default_factory=dict)
    regions: list[tuple[int, int, str]] = field(default_factory=list)


def statements(text: str) -> dict[int, int]:
    """For each line of a statement or of a compound statement's header, the statement's first line."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            # Inner statements are met later and take their own lines.
            found.update(dict.fromkeys(range(node.lineno, max(last, node.lineno) + 1), node.lineno))
    return found


def measured(case: str, record: Mapping[str, Any], heads: Mapping[int, int]) -> dict[int, str]:
    """The sites that Dynamo named in the file of the case."""
    found: dict[int, str] = {}
    for site in [*record["break_sites"], *record["skip_sites"]]:
        file, _, line = site["at"].rpartition(":")
        if file == case and LEAVING not in site["explanation"]:
            found.setdefault(heads.get(int(line), int(line)), site["explanation"])
    return found


def checked(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The findings of `refactor check` by file name.

    Raises:
        RuntimeError: the command failed.
    """
    command = [sys.executable, "-m", "refactor", "check", str(folder), "--isolated", "--output-format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return {Path(file["path"]).name: file["findings"] for file in json.loads(done.stdout)["files"]}


def executed(path: Path) -> set[int]:
    """The lines of a case file that its own inputs run, eagerly."""
    lines: set[int] = set()

    def local(frame: types.FrameType, event: str, _: object) -> Any:
        if event == "line":
            lines.add(frame.f_lineno)
        return local

    def trace(frame: types.FrameType, event: str, _: object) -> Any:
        return local if frame.f_code.co_filename == str(path) else None

    spec = importlib.util.spec_from_file_location(path.stem.lstrip("0123456789_"), path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    target = module.make_callable()
    for args, kwargs in module.make_inputs():
        sys.settrace(trace)
        # Some inputs raise on purpose.
        with contextlib.suppress(Exception):
            target(*args, **kwargs)
        sys.settrace(None)
    return lines


def lines_run(path: Path) -> set[int]:
    """`executed` in a process of its own."""
    command = [sys.executable, __file__, "--lines", str(path.resolve())]
    return set(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def sites(case: Path, record: Mapping[str, Any], findings: list[dict[str, Any]]) -> Sites:
    """What was measured and what is named in one case."""
    text = case.read_text(encoding="utf-8")
    heads = statements(text)
    ends = {n.lineno: n.end_lineno or n.lineno for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt)}
    found = Sites(measured(case.name, record, heads))
    for item in findings:
        line = heads.get(item["location"]["line"], item["location"]["line"])
        if item["code"] in REGIONS:
            found.regions.append((line, max(ends.get(line, line), item["end_location"]["line"]), item["code"]))
        elif item["code"] not in RECOMPILES:
            found.named[line] = f"{found.named[line]}; " if line in found.named else ""
            found.named[line] += f"{item['code']} {item['message']}"
    return found


def report(folder: Path, baseline: Path) -> int:
    """Print both figures and the misses; the exit status."""
    records = json.loads(baseline.read_text(encoding="utf-8"))["cases"]
    findings = checked(folder)
    total = hit = named = breaking = unreached = 0
    for case in sorted(folder.glob("*.py")):
        if case.name not in records:
            continue
        found = sites(case, records[case.name], findings.get(case.name, []))
        missed = {line: why for line, why in found.measured.items() if line not in found.named}
        total, hit = total + len(found.measured), hit + len(found.measured) - len(missed)
        false = {line: what for line, what in found.named.items() if line not in found.measured}
        run = lines_run(case) if false else set()
        quiet = {line: what for line, what in false.items() if line in run}
        unreached += len(false) - len(quiet)
        named, breaking = named + len(found.named) - len(false) + len(quiet), breaking + len(found.named) - len(false)
        for first, last, code in found.regions:
            named, held = named + 1, any(first <= line <= last for line in found.measured)
            breaking += held
            if not held:
                quiet[first] = f"{code} nothing in the region"
        for line, why in sorted(missed.items()):
            print(f"not named      {case.name}:{line}  {why}")
        for line, what in sorted(quiet.items()):
            print(f"does not break {case.name}:{line}  {what}")
    print(f"measured sites named: {hit} of {total} ({hit / total:.0%}; aim {NAMED_AIM:.0%})")
    print(f"named sites that break: {breaking} of {named} ({breaking / named:.0%}; aim {BREAKING_AIM:.0%})")
    print(f"named sites that no input reaches: {unreached}")
    return 0 if hit >= NAMED_AIM * total and breaking >= BREAKING_AIM * named else 1


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("cases", type=Path, nargs="?")
    parser.add_argument("baseline", type=Path, nargs="?")
    parser.add_argument("--lines", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.lines:
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(io.StringIO()):
            run = executed(given.lines)
        print(json.dumps(sorted(run)))
        return 0
    if given.cases is None or given.baseline is None:
        parser.error("name the folder of cases and the file of what was measured")
    return report(given.cases, given.baseline)


if __name__ == "__main__":
    sys.exit(main())
