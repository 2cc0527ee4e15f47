"""The pytest plugin: tests that fail when `torch.compile` cuts a graph, so that a model that is whole stays whole.

Torch is imported with the first test that is measured, and never where none is.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .verify.dynamo import Meter
    from .verify.verdict import Counts

MARKER = "graph_breaks"
_PROPERTY = "graph breaks"
_SAID = ("fix", "no fix", "help")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that measures every test."""
    group = parser.getgroup("graph breaks", "graph breaks of torch.compile")
    group.addoption(
        "--graph-breaks",
        choices=("off", "report", "fail"),
        help="Measure every test that has torch loaded: list the break sites at the end, or fail for more than its "
        "marker allows, which is none without a marker. `off` measures nothing, not even marked tests.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers", f"{MARKER}(max=0): fail where what runs under torch.compile in the test has more break sites"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Measure a test while it runs."""
    mode, limit = item.config.getoption("--graph-breaks"), _limit(item)
    # A test that never loads torch cannot break a graph; a marked one says that it does.
    if mode == "off" or (limit is None and (mode is None or "torch" not in sys.modules)):
        return (yield)
    with _listening() as meter:
        outcome = yield
    counts = meter.counts()
    if _breaks(counts):
        item.user_properties.append((_PROPERTY, report(counts)))
    if limit is not None or mode == "fail":
        _judge(counts, limit or 0)
    return outcome


def _limit(item: pytest.Item) -> int | None:
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return None
    limit = marker.kwargs.get("max", marker.args[0] if marker.args else 0)
    if not isinstance(limit, int) or limit < 0 or len(marker.args) > 1 or set(marker.kwargs) - {"max"}:
        raise pytest.UsageError(f"{item.nodeid}: expected graph_breaks(max=NUMBER), got {marker.args or marker.kwargs}")
    return limit


@pytest.fixture
def assert_no_graph_breaks(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Call `assert_no_graph_breaks(fn, *args, **kwargs)`: compiles a function or module, calls it, returns its result.

    Fails the test for any break site, or for more than the test's marker `graph_breaks(max=…)` allows.
    """
    limit = _limit(request.node) or 0

    def check(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        import torch

        with _listening() as meter:
            result = torch.compile(fn, backend=meter.backend)(*args, **kwargs)
        _judge(meter.counts(), limit)
        return result

    return check


@contextlib.contextmanager
def _listening() -> Iterator[Meter]:
    from .verify.dynamo import Meter

    meter = Meter()
    with meter.listening():
        yield meter


def _breaks(counts: Counts) -> int:
    """Break sites; a frame that was given up without one is as bad."""
    return max(len(counts.break_sites), min(counts.skipped_frames, 1))


def _judge(counts: Counts, limit: int) -> None:
    __tracebackhide__ = True
    found = _breaks(counts)
    if found > limit:
        allowed = f"{limit} allowed" if limit else "none allowed"
        pytest.fail(f"{found} break site{'s' * (found > 1)} ({allowed})\n{report(counts)}", pytrace=False)


def report(counts: Counts) -> str:
    """The break sites with their cures, and what else was counted."""
    lines = []
    for site in counts.break_sites:
        lines.append(f"{site.path}:{site.line}: {site.reason}")
        lines += [f"    {text}" for text in _cures(site.path, site.line)]
    lines.append(
        f"graphs {counts.graphs}, skipped frames {counts.skipped_frames}, recompiles {counts.recompiles}"
        if counts.graphs
        else f"no graph was captured, skipped frames {counts.skipped_frames}"
    )
    return "\n".join(lines)


def _cures(path: str, line: int) -> list[str]:
    """What the rules say about a line."""
    from .commands import codes
    from .config import Resolver
    from .engine import inspect
    from .errors import UserError
    from .files import read
    from .report.full import notes
    from .work import options_for

    file = Path(path)
    try:
        options = options_for(file, Resolver().for_file(file), codes())
        _, found = inspect(read(file).text, path, options)
    except (UserError, OSError):
        return []
    here = [finding for finding in found if finding.line <= line <= finding.end_line]
    said = [
        f"{finding.code} {finding.name}: " + "; ".join(text for label, text in notes(finding) if label in _SAID)
        for finding in here
    ]
    return said or ["no rule knows this one"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List the break sites of the tests that passed with some; those that failed for them have said so."""
    if terminalreporter.config.getoption("--graph-breaks") != "report":
        return
    told = [
        (done.nodeid, text)
        for group in ("passed", "failed")
        for done in terminalreporter.stats.get(group, ())
        for name, text in getattr(done, "user_properties", ())
        if name == _PROPERTY and done.when == "call"
    ]
    if told:
        terminalreporter.section("graph breaks")
        for node, text in told:
            terminalreporter.line(f"{node}\n" + "\n".join(f"  {line}" for line in text.splitlines()))
