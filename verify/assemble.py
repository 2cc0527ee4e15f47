"""Makes a run out of the journal that a recorder left behind. No torch here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from .journal import CALL, LINE, SERVED, Left
from .readings import Cut, code, cut, failure_reason, guard
from .trace import BreakSite, Call, Entry, Frame, Graph, How, Recompile, Run, Sample, Skip, Step, Way
from .values import Object
from .variations import variations

# (epoch, frame id, number of the compilation of that frame)
Compilation: TypeAlias = tuple[int, Any, Any]
Line: TypeAlias = dict[str, Any]


def assembled(file: Path) -> Run | None:
    """The run of one journal; None where it ends before its first line."""
    left = Left(file)
    if not left.lines:
        return None
    run = _Assembly(left).run()
    # A process that was killed did not note its end; its last line was written shortly before.
    run.seconds = run.seconds or max(file.stat().st_mtime - run.started, 0.0)
    return run


class _Assembly:
    def __init__(self, left: Left) -> None:
        self._left = left
        self._run = Run()
        self._entries: dict[int, int] = {}
        self._compiled: dict[Compilation, int] = {}
        self._recompiles: dict[Compilation, int] = {}
        self._skips: dict[tuple[int, str, str, int], int] = {}
        self._cuts: dict[tuple[Compilation, str, int], tuple[Cut, int]] = {}
        self._samples: dict[int, int] = {}
        self._at = _At()
        self._finished: set[Compilation] = set()

    def run(self) -> Run:
        """The run."""
        for number, line in enumerate(self._left.lines):
            read = getattr(self, f"_read_{line.get('')}", None)
            if read is not None:
                read(line, number)
        self._give_up_unended()
        self._count()
        self._gather_breaks()
        _Routes(self._run, self._left, self._entries, self._at).trace()
        # What began a compilation and was served is there twice.
        served = {sample.frame for sample in self._run.samples if sample.entry >= 0}
        self._run.samples = [s for s in self._run.samples if s.entry >= 0 or s.frame not in served]
        for frame_number, frame in enumerate(self._run.frames):
            frame.varies = variations([s.arguments for s in self._run.samples if s.frame == frame_number])
        for number, entry in enumerate(self._run.entries):
            entry.varies = variations([s.arguments for s in self._run.samples if s.entry == number])
        return self._run

    def _read_run(self, line: Line, _: int) -> None:
        for name in ("command", "pid", "parent", "rank", "started", "torch", "python"):
            setattr(self._run, name, line[name])

    def _read_end(self, line: Line, _: int) -> None:
        self._run.seconds = line["at"] - self._run.started

    def _read_root(self, line: Line, _: int) -> None:
        self._at.roots[line["index"]] = line["name"]

    def _read_frame(self, line: Line, _: int) -> None:
        self._run.frames.append(
            Frame(line["path"], line["name"], line["line"], parent=line["parent"], resumes_at=line["resumes_at"])
        )

    def _read_entry(self, line: Line, _: int) -> None:
        number = self._entries[line["index"]] = len(self._run.entries)
        self._compiled[_compilation(line)] = number
        self._run.frames[line["frame"]].entries.append(number)
        self._run.entries.append(Entry(line["frame"], line["compile_id"], line["epoch"]))
        self._run.epochs = max(self._run.epochs, line["epoch"])
        graphs = [n for n, g in enumerate(self._run.graphs) if g.entry == -1 and g.frame == line["frame"]]
        for graph in graphs[-1:]:
            self._run.entries[number].graph, self._run.graphs[graph].entry = graph, number

    def _read_graph(self, line: Line, _: int) -> None:
        read = code(line["text"])
        self._run.graphs.append(Graph(line["frame"], ops=read.ops, op_counts=read.calls, lines=read.lines))

    def _read_broke(self, line: Line, _: int) -> None:
        found = cut(line["text"])
        self._cuts.setdefault((_compilation(line), found.path, found.line), (found, line["frame"]))

    def _read_failed(self, line: Line, number: int) -> None:
        failed = []
        for text, actual in line["guards"]:
            one = guard(text)
            one.actual = one.actual or actual
            failed.append(one)
        self._recompiles[_compilation(line)] = self._at.recompiled[number] = len(self._run.recompiles)
        self._run.recompiles.append(Recompile(line["frame"], _id(line), line["epoch"], failed=failed))

    def _read_finished(self, line: Line, at: int) -> None:
        compilation, metrics = _compilation(line), line["metrics"]
        seconds = metrics["entire_frame_compile_time_s"] or 0.0
        number = self._compiled.get(compilation, -1)
        self._finished.add(compilation)
        if number >= 0:
            self._at.compiled.add(number)
            entry = self._run.entries[number]
            entry.seconds, entry.backend_seconds = seconds, metrics["backend_compile_time_s"] or 0.0
            entry.guards, entry.guard_us = metrics["guard_count"] or 0, metrics["guard_latency_us"]
            if entry.graph >= 0 and metrics["graph_op_count"] is not None:
                self._run.graphs[entry.graph].ops = metrics["graph_op_count"]
        if compilation in self._recompiles:
            self._at.recompiled[at] = self._recompiles[compilation]
            recompile = self._run.recompiles[self._recompiles[compilation]]
            recompile.entry, recompile.seconds = number, seconds
        if line["failure"] or number < 0:
            place = metrics["fail_user_frame_filename"] or "", metrics["fail_user_frame_lineno"] or 0
            self._skip(compilation, Skip(line["frame"], failure_reason(line["failure"]), *place, line["limited"]), at)

    def _skip(self, compilation: Compilation, skip: Skip, at: int) -> None:
        """Some releases do not call it a failure where a break makes them give up a frame."""
        breaks = [found for (where, _, _), (found, _) in self._cuts.items() if where == compilation]
        skip.empty = not skip.reason and not breaks
        if not skip.reason:
            skip.reason = breaks[0].reason if breaks else "no operator was captured"
            skip.path, skip.line = (breaks[0].path, breaks[0].line) if breaks else ("", 0)
        if not skip.empty:
            self._at.gave_up[at] = "limit" if skip.limit else "skipped"
        key = (skip.frame, skip.reason, skip.path, skip.line)
        if key in self._skips:
            self._run.skips[self._skips[key]].events += 1
            return
        self._skips[key] = len(self._run.skips)
        self._run.skips.append(skip)

    def _give_up_unended(self) -> None:
        """A recompilation that was begun and never ended met the limit, unless the process ended first."""
        last = next((_compilation(line) for line in reversed(self._left.lines) if "key" in line), None)
        for at, number in list(self._at.recompiled.items()):
            compilation = _compilation(self._left.lines[at])
            if compilation not in self._finished and (compilation != last or self._run.seconds):
                skip = Skip(self._run.recompiles[number].frame, "the recompile limit was reached", limit=True)
                self._skip(compilation, skip, at)

    def _read_object(self, line: Line, _: int) -> None:
        # An object's line is written when all of its own objects' lines are.
        missing = line["index"] + 1 - len(self._run.objects)
        self._run.objects += [Object(type="") for _ in range(missing)]
        self._run.objects[line["index"]] = msgspec.convert(line, Object)

    def _read_sample(self, line: Line, number: int) -> None:
        self._samples[line["entry"]] = self._at.sampled[number] = len(self._run.samples)
        converted = msgspec.convert({**line, "entry": self._entries.get(line["entry"], -1)}, Sample)
        self._run.samples.append(converted)

    def _read_again(self, line: Line, _: int) -> None:
        self._run.samples[self._samples[line["entry"]]].times += 1

    def _count(self) -> None:
        looked_at = sum(sample.times for sample in self._run.samples if sample.entry >= 0)
        for index, number in self._entries.items():
            if index < len(self._left.totals):
                self._run.entries[number].calls = self._left.totals[index]
        self._run.unseen_samples = max(sum(entry.calls for entry in self._run.entries) - looked_at, 0)

    def _gather_breaks(self) -> None:
        sites: dict[tuple[str, int, str], BreakSite] = {}
        for (compilation, path, line), (found, frame) in self._cuts.items():
            if not path:
                continue
            site = sites.get((path, line, found.reason))
            if site is None:
                site = BreakSite(path, line, found.reason, found.registry, found.explanation, found.hints, found.stack)
                sites[path, line, found.reason] = site
            site.events += 1
            way = next((way for way in site.ways if way.stack == found.stack), None)
            if way is None:
                site.ways.append(Way(found.stack))
            else:
                way.events += 1
            site.registry = site.registry or found.registry
            site.explanation = site.explanation or found.explanation
            site.hints = site.hints or found.hints
            site.compile_ids.append(f"{compilation[1]}/{compilation[2]}")
            if frame not in site.frames:
                site.frames.append(frame)
        self._run.breaks = sorted(sites.values(), key=lambda s: (s.path, s.line, s.reason))


@dataclass
class _At:
    """What lines of the journal, by number, mean for the call during which they were written.

    Attributes:
        sampled: the sample.
        recompiled: the recompile that began, or gave up.
        gave_up: how a frame was given up.
        roots: the names of what was called, by its number.
        compiled: the entries that this process compiled; a forked one finds others that were there before.
    """

    sampled: dict[int, int] = field(default_factory=dict)
    recompiled: dict[int, int] = field(default_factory=dict)
    gave_up: dict[int, How] = field(default_factory=dict)
    roots: dict[int, str] = field(default_factory=dict)
    compiled: set[int] = field(default_factory=set)


class _Routes:
    """Puts the steps of all threads together to calls."""

    def __init__(self, run: Run, left: Left, entries: dict[int, int], at: _At) -> None:
        self._run, self._left, self._entries, self._at = run, left, entries, at
        self._by_entry = {r.entry: n for n, r in enumerate(run.recompiles) if r.entry >= 0}
        self._current: dict[int, int] = {}
        self._called: set[int] = set()
        self._first: frozenset[int] = frozenset()

    def trace(self) -> None:
        """Fill the calls of the run, and what refers to them."""
        for thread, what, value in self._left.steps:
            if what == CALL:
                self._begin(thread, self._at.roots.get(value, ""), value not in self._called)
                self._called.add(value)
            elif what == SERVED and value in self._entries:
                self._serve(thread, self._entries[value])
            elif what == LINE:
                self._heard(thread, value)
        total = self._left.totals[0] if self._left.totals else 0
        self._run.more_calls = max(total - len(self._run.calls), 0)

    def _begin(self, thread: int, root: str, is_first: bool = False) -> int:
        self._current[thread] = len(self._run.calls)
        self._first = self._first | {self._current[thread]} if is_first else self._first
        self._run.calls.append(Call(thread=thread, root=root))
        return self._current[thread]

    def _call(self, thread: int) -> int:
        return self._current[thread] if thread in self._current else self._begin(thread, "")

    def _serve(self, thread: int, number: int) -> None:
        how: How = "hit"
        recompile = -1
        if number in self._at.compiled:
            self._at.compiled.remove(number)
            recompile = self._by_entry.get(number, -1)
            how = "recompiled" if recompile >= 0 else "compiled"
        self._add(thread, Step(how, self._run.entries[number].frame, number, recompile))

    def _add(self, thread: int, step: Step) -> None:
        number = self._call(thread)
        call = self._run.calls[number]
        if not call.steps and step.frame >= 0:
            # Where the root itself was given up, what it calls comes first in later calls.
            frame = self._run.frames[step.frame]
            frame.root |= number in self._first or frame.name in (call.root, f"{call.root}.forward")
        call.steps.append(step)

    def _heard(self, thread: int, number: int) -> None:
        recompile = self._at.recompiled.get(number, -1)
        if number in self._at.sampled:
            self._run.samples[self._at.sampled[number]].call = self._call(thread)
        elif recompile >= 0 and self._run.recompiles[recompile].call < 0:
            self._run.recompiles[recompile].call = self._call(thread)
        if number in self._at.gave_up:
            frame = self._left.lines[number]["frame"]
            self._add(thread, Step(self._at.gave_up[number], frame, recompile=recompile))


def _compilation(line: Line) -> Compilation:
    return (line["epoch"], *line["key"])


def _id(line: Line) -> str:
    return f"{line['key'][0]}/{line['key'][1]}"
