"""The page of `explain`: one file that needs no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..explained import Cut, Explanation, Program, Spot
from . import explain
from .explain import place, shown
from .full import split

if TYPE_CHECKING:
    from ..verify.trace import Call, Entry, Recompile

_COLOURS = 8
_CHUNK = 50
_ROW_EM = 1.55
# Files that hold nothing but graphs are left out beyond this many lines in all.
_MANY_LINES = 10_000
_CODE = re.compile(r"`([^`]+)`")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def page(told: Explanation) -> str:
    """The page's HTML."""
    import jinja2
    from markupsafe import Markup, escape

    folder = resources.files(__package__) / "page"

    def part(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["prose"] = lambda text: Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))
    drawn = [Drawn(program, told.heading(program)) for program in told.programs]
    return environment.from_string(part("page.html.j2")).render(
        title=Path(told.target).name,
        subtitle=" · ".join(filter(None, (told.called, told.verdict))),
        cards=_cards(told),
        notes=told.notes,
        sides=[side.context() for side in drawn],
        ledger=[{"name": row.name, "values": row.values, "meaning": row.meaning} for row in explain.ledger_rows(told)],
        gains=list(explain.gains(told)),
        assumed=[program.label for program in told.programs if not program.ledger.rebuilds],
        sliding=any(program.ledger.steady_us is not None for program in told.programs),
        backend=told.backend,
        torch=told.before.run.torch,
        version=__version__,
        style=Markup(part("page.css")),
        chart_style=Markup(part("uPlot.min.css")),
        chart_script=Markup(part("uPlot.iife.min.js")),
        chart_licence=Markup(part("uPlot.LICENSE")),
        script=Markup(part("page.js")),
        # Inside a script element only `</` and `<!--` could end the data.
        data=Markup(json.dumps({"sides": [side.data() for side in drawn]}, ensure_ascii=False).replace("<", "\\u003c")),
    )


def _cards(told: Explanation) -> Iterator[dict[str, Any]]:
    for what, figure in explain.HEADLINES.items():
        values = [figure(program) for program in told.programs]
        yield {"what": what, "before": values[0], "after": values[1] if len(values) > 1 else None}


@dataclass
class Drawn:
    """One version of the program, ready to be drawn under a heading."""

    program: Program
    label: str

    @cached_property
    def letters(self) -> dict[int, str]:
        """The letter of each frame that has a graph."""
        with_graph = sorted({graph.frame for graph in self.program.run.graphs if graph.ops})
        return {frame: _letter(number) for number, frame in enumerate(with_graph)}

    @cached_property
    def colours(self) -> dict[int, int]:
        """The colour of each frame that has a graph."""
        return {frame: number % _COLOURS for number, frame in enumerate(self.letters)}

    @cached_property
    def owners(self) -> dict[tuple[str, int], int]:
        """The frame in whose graph a line falls, by path and line."""
        found: dict[tuple[str, int], int] = {}
        for graph in sorted(self.program.run.graphs, key=lambda graph: graph.frame):
            if graph.ops:
                for path, line in graph.lines:
                    found.setdefault((path, line), graph.frame)
        return found

    @cached_property
    def paths(self) -> list[str]:
        """The files to show: those with cuts first, then those with graphs, as far as they are not too many."""
        program = self.program
        busy = list(dict.fromkeys(item.path for item in program.spots))
        graphs = list(dict.fromkeys(path for path, _ in self.owners))
        shown, lines = [], 0
        for path in dict.fromkeys((*busy, *graphs)):
            text = program.texts.get(path)
            if text is None:
                continue
            lines += text.count("\n")
            if path in busy or lines <= _MANY_LINES:
                shown.append(path)
        return shown

    def anchor(self, path: str, line: int) -> str:
        """The element of a line."""
        return f"{self.program.key}-{self.paths.index(path)}-{line}" if path in self.paths else self.program.key

    def context(self) -> dict[str, Any]:
        """What the template shows."""
        program = self.program
        return {
            "key": program.key,
            "label": self.label,
            "cuts": [self._cut(cut) for cut in program.cuts],
            "skipped": [self._row(item, explain.skipped_cost(item)) for item in program.skipped],
            "causes": [self._row(item, explain.cause_cost(item)) for item in program.causes],
            "files": [self._file(path) for path in self.paths],
        }

    def data(self) -> dict[str, Any]:
        """What the script needs."""
        program, run = self.program, self.program.run
        ledger = program.ledger
        # Costs are in µs throughout the script.
        costs = {
            "guard": ledger.guard_us,
            "steady": ledger.steady_us,
            # Where no guard failed, the first compilation tells what the next one would take.
            "rebuild": (ledger.rebuild_s if ledger.rebuilds else ledger.cold_s) * 1e6,
            "rate": ledger.failure_rate,
        }
        return {
            "key": program.key,
            "label": self.label,
            "frames": [self._frame(number) for number in range(len(run.frames))],
            "entries": [self._entry(entry) for entry in run.entries],
            "recompiles": [_recompile(item) for item in run.recompiles],
            "cuts": [
                {"place": place(cut), "short": f"line {cut.line}", "words": cut.words, "cure": cut.cure.line}
                | {"cost": explain.cut_cost(cut)}
                for cut in sorted(program.cuts, key=lambda cut: cut.number)
            ],
            "calls": [
                {"steps": self._steps(call), "raised": program.raised.get(number, "")}
                for number, call in enumerate(run.calls)
            ],
            "more": run.more_calls,
            "ledger": costs,
        }

    def _frame(self, number: int) -> dict[str, Any]:
        frame = self.program.run.frames[number]
        return {
            "name": frame.name + (f", after line {frame.resumes_at}" if frame.resumes_at else ""),
            "place": f"{shown(frame.path)}:{frame.resumes_at or frame.line}",
            "letter": self.letters.get(number, ""),
            "colour": self.colours.get(number, 0),
        }

    def _steps(self, call: Call) -> list[list[Any]]:
        entries = self.program.run.entries
        cuts = [self._cut_after(entries[step.entry]) if step.entry >= 0 else -1 for step in call.steps]
        return [
            [step.how, step.frame, step.entry, step.recompile, cut] for step, cut in zip(call.steps, cuts, strict=True)
        ]

    def _cut_after(self, entry: Entry) -> int:
        """The break site that ends an entry; -1 where it runs to the end of its frame."""
        return self._ends.get((entry.frame, entry.compile_id), -1)

    @cached_property
    def _ends(self) -> dict[tuple[int, str], int]:
        return {
            (frame, compile_id): number
            for number, site in enumerate(self.program.run.breaks)
            for frame in site.frames
            for compile_id in site.compile_ids
        }

    def _entry(self, entry: Entry) -> dict[str, Any]:
        run = self.program.run
        graph = run.graphs[entry.graph] if entry.graph >= 0 else None
        lines = [] if graph is None else list(dict.fromkeys(graph.lines))
        numbers = sorted(line for path, line in lines if path == run.frames[entry.frame].path)
        return {
            "id": entry.compile_id,
            "frame": entry.frame,
            "ops": 0 if graph is None else graph.ops,
            "seconds": entry.seconds,
            "lines": f"lines {numbers[0]} to {numbers[-1]}" if numbers else "",
            "rows": [self.anchor(path, line) for path, line in lines if path in self.paths],
        }

    def _cut(self, cut: Cut) -> dict[str, Any]:
        row = self._row(cut, explain.cut_cost(cut))
        return {**row, "number": cut.number, "link": cut.link, "registry": cut.registry}

    def _row(self, item: Spot, cost: str) -> dict[str, Any]:
        return {
            "place": place(item),
            "anchor": self.anchor(item.path, item.line),
            "words": item.words,
            "cost": cost,
            "fixes": item.cure.fixes,
            "cure": item.cure.line,
        }

    def _file(self, path: str) -> dict[str, Any]:
        lines = split(self.program.texts[path])
        if lines and not lines[-1]:
            lines.pop()
        cuts: dict[int, list[dict[str, Any]]] = {}
        for cut in self.program.cuts:
            if cut.path == path:
                cuts.setdefault(cut.line, []).append(self._cut(cut))
        rows = [self._line(path, number, text, cuts.get(number, [])) for number, text in enumerate(lines, 1)]
        chunks = [rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK)]
        return {
            "name": shown(path),
            "chunks": [{"rows": chunk, "height": round(len(chunk) * _ROW_EM, 2)} for chunk in chunks],
        }

    def _line(self, path: str, number: int, text: str, cuts: list[dict[str, Any]]) -> dict[str, Any]:
        owner = self.owners.get((path, number))
        before = self.owners.get((path, number - 1))
        name = "" if owner is None else self.program.run.frames[owner].name
        return {
            "number": number,
            "text": text,
            "anchor": self.anchor(path, number),
            "colour": None if owner is None else self.colours[owner],
            "letter": "" if owner is None or owner == before else self.letters[owner],
            "title": "" if owner is None else f"graph {self.letters[owner]} ({name})",
            "cuts": cuts,
        }


def _recompile(item: Recompile) -> dict[str, Any]:
    failed = [
        {
            "id": guard.compile_id,
            "text": explain.guard_words(guard),
            "place": f"{shown(guard.path)}:{guard.line}" if guard.path else "",
        }
        for guard in item.failed
    ]
    return {"failed": failed, "seconds": item.seconds}


def _letter(number: int) -> str:
    rest, last = divmod(number, len(_LETTERS))
    return (_letter(rest - 1) if rest else "") + _LETTERS[last]
