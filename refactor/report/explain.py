"""What `explain` says on a terminal: cuts, skipped frames, recompiles, and the ledger of the cost model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..explained import Cause, Cut, Explanation, Program, Skipped, Spot
from .concise import plural
from .figures import duration, percent, span, times

if TYPE_CHECKING:
    from ..verify.ledger import Ledger
    from ..verify.trace import Guard

HEADLINES: Mapping[str, Callable[[Program], str]] = {
    "cuts": lambda program: str(len(program.cuts)),
    "graphs": lambda program: str(sum(graph.ops > 0 for graph in program.run.graphs)),
    "skipped frames": lambda program: str(sum(not item.limit for item in program.skipped)),
    "N_rebuild": lambda program: str(program.ledger.rebuilds),
    "limit hits": lambda program: str(sum(item.limit for item in program.skipped)),
    "T_avg": lambda program: duration(program.ledger.average_us),
}


@dataclass(frozen=True)
class Figure:
    """A value as text, and its spread, which may be empty."""

    figure: str
    spread: str = ""

    def __str__(self) -> str:
        return f"{self.figure} ({self.spread})" if self.spread else self.figure


@dataclass(frozen=True)
class Row:
    """A term of the ledger: its value in each version of the program, and what it is."""

    name: str
    values: tuple[Figure, ...]
    meaning: str


def lines(told: Explanation, links: bool = True) -> Iterator[str]:
    """The report, line by line; `links` adds the addresses of the registry."""
    counts = ", ".join(_headline(told, what) for what in HEADLINES)
    yield f"{click.style(told.target, bold=True)}: {counts}"
    yield from (f"  {part}" for part in (told.called, told.verdict) if part)
    before = told.before
    yield from _block("Cuts, the most costly first", [cut_line(cut, links) for cut in before.cuts])
    yield from _block("Skipped frames and reached limits", [skipped_line(item) for item in before.skipped])
    yield from _block("Recompiles", [cause_line(item) for item in before.causes])
    if told.after is not None and told.after.cuts:
        yield from _block("Cuts that stay after the rewrite", [cut_line(cut, links) for cut in told.after.cuts])
    yield ""
    yield from ledger(told)
    yield from gains(told)
    yield from (f"note: {note}" for note in told.notes)


def _headline(told: Explanation, what: str) -> str:
    return f"{what} {' -> '.join(dict.fromkeys(HEADLINES[what](program) for program in told.programs))}"


def _block(title: str, rows: list[str]) -> Iterator[str]:
    if rows:
        yield ""
        yield click.style(title, bold=True)
        yield from rows


def place(item: Spot) -> str:
    """`file:line`, relative to the working directory where it lies below it."""
    return f"{shown(item.path)}:{item.line}"


def shown(path: str) -> str:
    """A path as messages name it."""
    near = os.path.relpath(path) if os.path.isabs(path) else path  # noqa: PTH117
    return path if near.startswith(os.pardir) else near


def cut_line(cut: Cut, links: bool = True) -> str:
    """A break site on one line."""
    known = f" [{cut.link if links else cut.registry}]" if cut.registry else ""
    return f"{click.style(place(cut), bold=True)}: {cut.words} ({cut_cost(cut)}); {_cure(cut)}{known}"


def skipped_line(item: Skipped) -> str:
    """A skipped frame on one line."""
    return f"{click.style(place(item), bold=True)}: {item.name}: {item.words} ({skipped_cost(item)}); {_cure(item)}"


def cause_line(item: Cause) -> str:
    """The cause of recompiles on one line."""
    return f"{click.style(place(item), bold=True)}: {item.frame}: {item.words} ({cause_cost(item)}); {_cure(item)}"


def _cure(item: Spot) -> str:
    return click.style(item.cure.line, fg="green" if item.cure.fixes else "yellow")


def cut_cost(cut: Cut) -> str:
    """What a break site costs, in words."""
    crossed = f"crossed {plural(cut.crossings, 'time')} in {plural(cut.calls, 'call')}"
    parts = [crossed if cut.us is None else f"{crossed}, {duration(cut.us)} each"]
    if cut.frames:
        parts = [f"gives up {', '.join(cut.frames)}"]
    if cut.seconds:
        parts.append(f"{duration(cut.seconds * 1e6)} of compiling after it")
    return ", ".join(parts)


def skipped_cost(item: Skipped) -> str:
    """What a skipped frame costs, in words."""
    return "what is new runs eagerly from then on" if item.limit else "all of it runs eagerly"


def cause_cost(item: Cause) -> str:
    """What a cause of recompiles costs, in words."""
    return f"{plural(item.times, 'time')}, {duration(item.seconds * 1e6)} of compiling"


def guard_words(guard: Guard) -> str:
    """A failed guard in words."""
    # Dynamo's own name for what lies on the stack while a broken frame goes on.
    source = "a value from before the break" if guard.source.startswith("___stack") else guard.source
    if source and guard.expected and guard.actual:
        return f"{source} was {guard.expected} when it was compiled, and is {guard.actual}"
    if source and guard.expected:
        return f"{source} is not {guard.expected} any more"
    return " ".join(guard.text.split("#")[0].split())


def ledger_rows(told: Explanation) -> list[Row]:
    """The terms of the cost model."""
    ledgers = [program.ledger for program in told.programs]

    def row(name: str, value: Callable[[Ledger], str], meaning: str) -> Row:
        return Row(name, tuple(Figure(value(ledger)) for ledger in ledgers), meaning)

    def run_us(ledger: Ledger) -> Figure:
        return Figure(duration(ledger.run_us.middle if ledger.run_us else None), span(ledger.run_us))

    rows = [
        row("T_guard", lambda x: duration(x.guard_us), "checking the guards, in a steady call"),
        Row("T_run", tuple(map(run_us, ledgers)), "the rest of a steady call (10th to 90th percentile)"),
        row("f_fail", lambda x: percent(x.failure_rate), "calls in which a guard failed"),
        row(
            "T_rebuild",
            lambda x: duration(x.rebuild_s * 1e6) if x.rebuilds else "none",
            "compiling again, in such a call",
        ),
        row("N_rebuild", lambda x: f"{x.rebuilds} in {x.calls}", "failed guards in the calls made"),
        row("T_avg", lambda x: duration(x.average_us), "T_guard + T_run + f_fail · T_rebuild"),
        row("cold start", lambda x: duration(x.cold_s * 1e6), "all other compilations, paid once"),
    ]
    if told.eager_us is not None:
        eager = Figure(duration(told.eager_us.middle), span(told.eager_us))
        rows.append(Row("eager", (eager, *[Figure("")] * (len(ledgers) - 1)), "a call without compilation"))
    return rows


def ledger(told: Explanation) -> Iterator[str]:
    """The ledger as a table."""
    rows = ledger_rows(told)
    heads = [told.heading(program) for program in told.programs]
    widths = [max(len(head), *(len(str(row.values[i])) for row in rows)) for i, head in enumerate(heads)]
    backend = f" ({told.backend} backend)" if told.backend else ""
    titles = "  ".join(f"{head:<{width}}" for head, width in zip(heads, widths, strict=True))
    yield click.style(f"{'Ledger':<10}  {titles}{backend}".rstrip(), bold=True)
    for row in rows:
        values = "  ".join(f"{value!s:<{width}}" for value, width in zip(row.values, widths, strict=True))
        yield f"{row.name:<10}  {values}  {row.meaning}"


def gains(told: Explanation) -> Iterator[str]:
    """The loss to the cuts, and the gain to expect."""
    if told.after is None:
        return
    old, new = told.before.ledger, told.after.ledger
    if old.run_us is not None and new.run_us is not None:
        loss = old.run_us.middle - new.run_us.middle
        pieces, whole = duration(old.run_us.middle), duration(new.run_us.middle)
        eager = (
            " eagerly, past the recompile limit" if any(item.limit for item in told.before.skipped) else " in pieces"
        )
        if loss > 0:
            yield f"Lost to the cuts: {duration(loss)} of a steady call ({pieces}{eager}, {whole} after the rewrite)."
        else:
            yield f"No steady call loses to the cuts here: {pieces}{eager}, {whole} after the rewrite."
    gain, average = told.gain, told.average_gain
    if average is not None:
        yield f"Gain to expect: T_avg {times(average)} at the failure rates of these calls."
    if gain is not None:
        near = f"{times(gain.middle)} ({times(gain.low)} to {times(gain.high)} over {gain.samples} rounds)"
        yield f"A steady call alone: {near}."
