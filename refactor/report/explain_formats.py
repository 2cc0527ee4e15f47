"""`explain` for machines: JSON, and the formats that annotate lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..explained import Cause, Cure, Cut, Explanation, Program, Skipped, Spot
from . import explain, json_, writers
from .diff import relative
from .remark import Remark, fingerprints

if TYPE_CHECKING:
    from ..verify.ledger import Ledger, Spread


def json(told: Explanation) -> str:
    """The JSON document; times in µs unless a key ends in `_s`."""
    return json_.document(
        "explain",
        target=told.target,
        called=told.called,
        backend=told.backend,
        torch=told.before.run.torch,
        verdict=told.verdict,
        before=_program(told.before),
        after=_program(told.after) if told.after else None,
        eager_us=_spread(told.eager_us),
        steady_gain=_spread(told.gain),
        average_gain=told.average_gain,
        notes=list(told.notes),
    )


def _program(program: Program) -> dict[str, Any]:
    return {
        "cuts": [_cut(cut) for cut in program.cuts],
        "skipped": [_skipped(item) for item in program.skipped],
        "recompiles": [_cause(item) for item in program.causes],
        "graphs": sum(graph.ops > 0 for graph in program.run.graphs),
        "ledger": _ledger(program.ledger),
        "raised": {str(number): text for number, text in program.raised.items()},
    }


def _ledger(ledger: Ledger) -> dict[str, Any]:
    return {
        "calls": ledger.calls,
        "guard_us": ledger.guard_us,
        "run_us": _spread(ledger.run_us),
        "failed_calls": ledger.failed_calls,
        "failure_rate": ledger.failure_rate,
        "rebuild_s": ledger.rebuild_s,
        "rebuilds": ledger.rebuilds,
        "average_us": ledger.average_us,
        "cold_s": ledger.cold_s,
    }


def _spread(value: Spread | None) -> dict[str, float] | None:
    if value is None:
        return None
    return {"low": value.low, "middle": value.middle, "high": value.high, "samples": value.samples}


def _cut(cut: Cut) -> dict[str, Any]:
    return {
        "path": cut.path,
        "line": cut.line,
        "words": cut.words,
        "reason": cut.reason,
        "registry": cut.registry,
        "link": cut.link,
        "crossings": cut.crossings,
        "events": cut.events,
        "crossing_us": cut.us,
        "cost_us": cut.cost_us,
        "compile_s": cut.seconds,
        "frames": list(cut.frames),
        "cure": _cure(cut.cure),
    }


def _skipped(item: Skipped) -> dict[str, Any]:
    place = {"path": item.path, "line": item.line, "frame": item.name}
    return {**place, "words": item.words, "limit": item.limit, "cure": _cure(item.cure)}


def _cause(item: Cause) -> dict[str, Any]:
    guard = item.guard
    return {
        "path": item.path,
        "line": item.line,
        "frame": item.frame,
        "words": item.words,
        "guard": {"text": guard.text, "source": guard.source, "expected": guard.expected, "actual": guard.actual},
        "times": item.times,
        "compile_s": item.seconds,
        "cure": _cure(item.cure),
    }


def _cure(cure: Cure) -> dict[str, Any]:
    return {
        "code": cure.code,
        "name": cure.name,
        "fixes": cure.fixes,
        "words": cure.words,
        "remedy": cure.remedy,
    }


def remarks(told: Explanation) -> list[Remark]:
    """What cost something before the rewrite, as remarks on its lines."""
    program = told.before
    rows: list[tuple[Spot, str, str, str]] = [
        *((cut, cut.cure.code or cut.registry or "break", explain.cut_cost(cut), cut.link) for cut in program.cuts),
        *((item, item.cure.code or "skipped-frame", explain.skipped_cost(item), "") for item in program.skipped),
        *((item, item.cure.code or "recompile", explain.cause_cost(item), "") for item in program.causes),
    ]
    found: list[Remark] = []
    for path in dict.fromkeys(item.path for item, *_ in rows):
        own = [row for row in rows if row[0].path == path]
        name = relative(Path(path))
        identities = [f"{code}\0{item.words}\0{program.line(path, item.line)}" for item, code, *_ in own]
        prints = fingerprints(name, identities)
        found += (_remark(name, *row, own_print) for row, own_print in zip(own, prints, strict=True))
    return found


def _remark(path: str, item: Spot, code: str, cost: str, link: str, fingerprint: str) -> Remark:
    return Remark(
        path=path,
        code=code,
        name=item.cure.name or code,
        message=item.words,
        level="warning",
        line=item.line,
        end_line=item.line,
        details=(f"cost: {cost}", f"cure: {item.cure.line}"),
        fingerprint=fingerprint,
        link=link,
    )


def _annotated(write: Callable[[Iterable[Remark]], str]) -> Callable[[Explanation], str]:
    return lambda told: write(remarks(told))


WRITERS: Mapping[str, Callable[[Explanation], str]] = {
    "json": json,
    **{name: _annotated(write) for name, write in writers.WRITERS.items()},
}
