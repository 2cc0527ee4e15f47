"""`refactor explain`: runs a target, or reads a trace, and tells where the graph is cut and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .commands import codes, resolver_for
from .engine import Options, Rewrite, rewrite
from .errors import UserError
from .explained import Explanation, Program
from .files import read
from .joining import Pharmacy, cured, program
from .report import explain as words
from .report import summary
from .report.concise import plural
from .trace import read as read_trace
from .work import options_for

if TYPE_CHECKING:
    from .verify.ledger import Recorded, Timing
    from .verify.measure import Measured
    from .verify.trace import Run, Trace


def explain(target: Path | None, given: Mapping[str, Any]) -> int:
    """`refactor explain TARGET`; returns the exit status: 1 where something is cut, skipped or compiled again.

    Raises:
        UserError: the target cannot be read, parsed or run.
    """
    if given["evidence"] is None and target is None:
        raise UserError("expected a TARGET to run, or --evidence with a trace to read")
    resolver = resolver_for({**given, "output_format": None})
    known = target or Path.cwd() / "trace.py"
    config = resolver.for_file(known)
    options = options_for(known, config, codes(), given["factory"], given["inputs"])
    if given["evidence"] is not None:
        told = _of_trace(Path(given["evidence"]), target, options)
    else:
        assert target is not None
        told = _of_target(target, options, given["backend"])
    _say(told, given["html"], given["output_format"] or config.settings.output_format)
    before = told.before
    return 1 if before.cuts or before.skipped or before.causes else 0


def _say(told: Explanation, html: str | None, form: str) -> None:
    if html:
        from .report.html import page

        _write(Path(html), page(told))
        click.echo(f"Wrote {html}", err=True)
    if form in ("full", "concise"):
        for line in words.lines(told, links=form == "full"):
            click.echo(line)
        return
    from .report import explain_formats

    click.echo(explain_formats.WRITERS[form](told))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"the page cannot be written: {error.strerror}", path) from None


def _of_target(target: Path, options: Options, backend: str) -> Explanation:
    """What a target does when it is run, and what its rewrite does."""
    from .verify.measure import MeasureError, measure
    from .verify.verdict import Request

    file = read(target)
    result = rewrite(file.text, str(target), options)
    request = Request(
        old=file.text,
        new=result.new,
        path=options.path,
        factory=options.factory,
        inputs=options.inputs,
        seed=options.seed,
        timeout_s=options.timeout,
        memory_mb=options.memory,
        network=options.network,
        backends=(backend,),
    )
    try:
        return _joined(target, options, result, measure(request), backend)
    except MeasureError as error:
        raise UserError(f"cannot be run: {error}", target) from None


def _joined(target: Path, options: Options, result: Rewrite, measured: Measured, backend: str) -> Explanation:
    timings = measured.timings
    before = _program(
        "before", measured.before, timings.before if timings else None, Pharmacy(options, {options.path: result})
    )
    after = None
    if measured.after is not None:
        # What the rewrite leaves is told by the findings of the rewritten text.
        rest = Pharmacy(options, {options.path: rewrite(result.new, str(target), replace(options, verify="off"))})
        after = _program("after", measured.after, timings.after if timings else None, rest)
        before = cured(before, after)
    calls = plural(before.ledger.calls, "call")
    names = ", ".join(item.name for item in measured.before.found)
    verdict = result.verdict if result.changed else None
    return Explanation(
        target=str(target),
        before=before,
        after=after,
        backend=backend,
        called=f"{calls} of {names} (found)" if names else calls,
        eager_us=timings.eager_us if timings else None,
        gain=timings.gain if timings else None,
        verdict=click.unstyle(summary.verdict_line("rewrite", verdict)) if verdict else "",
        notes=(*result.notes, *measured.notes),
    )


def _program(key: str, recorded: Recorded, timing: Timing | None, pharmacy: Pharmacy) -> Program:
    from .verify.ledger import Timing, ledger_of, with_timing

    known = timing or Timing()
    ledger = with_timing(ledger_of(recorded.run, recorded.extra_s), known)
    return program(key, recorded.run, ledger, pharmacy, known.gaps, recorded.raised)


def _of_trace(path: Path, target: Path | None, options: Options) -> Explanation:
    """What a recorded run tells; nothing is run."""
    from .verify.ledger import ledger_of

    run, notes = _main_run(read_trace(path))
    if target is not None:
        wanted = str(target.absolute())
        run.breaks = [site for site in run.breaks if site.path == wanted]
    before = program("before", run, ledger_of(run), Pharmacy(options))
    return Explanation(str(target or path), before, called=" ".join(run.command), notes=notes)


def _main_run(trace: Trace) -> tuple[Run, tuple[str, ...]]:
    """The run that was cut most often, and a note where there are others."""
    runs = [run for run in trace.runs if run.frames]
    if not runs:
        raise UserError("nothing was compiled in the recorded run")
    chosen = max(runs, key=lambda run: (len(run.breaks) + len(run.skips) + len(run.recompiles), len(run.calls)))
    if len(runs) == 1:
        return chosen, ()
    return chosen, (
        f"{len(runs)} processes compiled something; this is the one with the most breaks (pid {chosen.pid})",
    )
