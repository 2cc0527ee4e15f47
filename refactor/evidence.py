"""What recorded runs say of one file: which lines broke, what varied, and what parameters were."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .trace import read
from .transforms.model import Finding
from .transforms.observed import Calls, Observed, Seen
from .verify.trace import Frame, Place, Run, Sample, Way
from .verify.values import Plain, Tensor, Value

# What each rule against recompiles is about: which guards call for it.
_ASPECTS = {"TR501": "size", "TR502": "attribute", "TR503": "value"}


@dataclass(frozen=True)
class Sighting:
    """What happened at some lines: a break, or a recompile of the function that spans them.

    Attributes:
        lines: the places in this file, the innermost first, each a range of lines.
        count: how often.
        what: `break`, or what a guard was about: `size`, `attribute`, `value` or `other`.
    """

    lines: tuple[range, ...]
    count: int
    what: str = "break"


@dataclass(frozen=True)
class Evidence:
    """What some recorded runs say of one file.

    Attributes:
        sightings: what happened in it.
        observed: what rules may rely on.
    """

    sightings: tuple[Sighting, ...]
    observed: Observed

    def seen(self, findings: Sequence[tuple[Finding, int, int]]) -> list[int]:
        """How often each finding, with its first and last line in the text that ran, was seen to do harm.

        A break is laid to the innermost place on the way to it for which there is a finding.
        """
        counts = [0] * len(findings)
        for sighting in self.sightings:
            for lines in sighting.lines:
                hit = [
                    n
                    for n, (finding, first, last) in enumerate(findings)
                    if first < lines.stop and lines.start <= last and _is_about(finding, sighting)
                ]
                for number in hit:
                    counts[number] += sighting.count
                # What cannot be cured here may be cured where it is called.
                if any(findings[number][0].fixable for number in hit):
                    break
        return counts


@functools.lru_cache(maxsize=4)
def gather(files: tuple[str, ...]) -> tuple[Run, ...]:
    """All runs of some traces.

    Raises:
        UserError: one of them cannot be read, or is none.
    """
    return tuple(run for file in files for run in read(Path(file)).runs)


@functools.lru_cache(maxsize=64)
def evidence_for(path: str, text: str, files: tuple[str, ...]) -> Evidence:
    """What recorded runs say of a file.

    Args:
        path: the file.
        text: what it holds, which should be what ran.
        files: the traces.

    Raises:
        UserError: one of them cannot be read, or is none.
    """
    place = str(Path(path).resolve())
    functions = _functions(text)
    sightings: list[Sighting] = []
    calls: dict[str, Calls] = {}
    for run in gather(files):
        own = {number: frame for number, frame in enumerate(run.frames) if _same(frame.path, place)}
        sightings += _breaks(run, place)
        sightings += _recompiles(run, own, place, functions)
        for name, found in _calls(run, own).items():
            calls[name] = _joined(calls[name], found) if name in calls else found
    key = hashlib.sha256(repr((place, sorted(calls.items()))).encode()).hexdigest()
    return Evidence(tuple(sightings), Observed(calls, key))


def _is_about(finding: Finding, sighting: Sighting) -> bool:
    return _ASPECTS.get(finding.code, "break") == sighting.what


def _same(one: str, place: str) -> bool:
    return one == place or str(Path(one).resolve()) == place


def _functions(text: str) -> dict[int, range]:
    """The lines of each function, by its first line, decorators included."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            found[first] = found[node.lineno] = range(first, (node.end_lineno or node.lineno) + 1)
    return found


def _breaks(run: Run, place: str) -> Iterator[Sighting]:
    for site in run.breaks:
        for way in site.ways or [Way(site.stack, site.events)]:
            places = [Place(site.path, site.line), *reversed(way.stack)]
            lines = [line.line for line in places if _same(line.path, place)]
            if lines:
                yield Sighting(tuple(range(line, line + 1) for line in dict.fromkeys(lines)), way.events)


def _recompiles(run: Run, own: dict[int, Frame], place: str, functions: dict[int, range]) -> Iterator[Sighting]:
    for recompile in run.recompiles:
        frame = own.get(recompile.frame)
        for guard in recompile.failed[:1]:
            what = _about(guard.source, guard.text)
            lines = functions.get(frame.line) if frame is not None else None
            if what == "attribute" and guard.line and _ends_alike(guard.path, place):
                yield Sighting((range(guard.line, guard.line + 1),), 1, what)
            elif lines is not None:
                yield Sighting((lines,), 1, what)


def _ends_alike(said: str, place: str) -> bool:
    """Dynamo shortens paths to their last characters."""
    return bool(said) and (place.endswith(said) or _same(said, place))


def _about(source: str, text: str) -> str:
    if ".shape[" in source or ".size()" in source or ".size()" in text:
        return "size"
    if source.startswith("self."):
        return "attribute"
    return "value" if source.isidentifier() else "other"


def _calls(run: Run, own: dict[int, Frame]) -> dict[str, Calls]:
    found: dict[str, Calls] = {}
    for number, frame in own.items():
        samples = [sample for sample in run.samples if sample.frame == number]
        if frame.parent >= 0 or not samples:
            continue
        sizes: dict[str, list[int]] = {}
        varying = {change.path for change in frame.varies if change.kind == "value"}
        for change in frame.varies:
            name, _, rest = change.path.partition(".shape[")
            if change.kind == "size" and rest:
                sizes.setdefault(name, []).append(int(rest.removesuffix("]")))
        names = {name for sample in samples for name in sample.arguments}
        seen = {
            name: Seen(_kinds(name, samples), tuple(sorted(sizes.get(name, []))), name in varying) for name in names
        }
        calls = Calls(sum(sample.times for sample in samples), frame.root, seen)
        found[frame.name] = _joined(found[frame.name], calls) if frame.name in found else calls
    return found


def _kinds(name: str, samples: Sequence[Sample]) -> frozenset[str]:
    return frozenset(_kind(sample.arguments[name]) for sample in samples if name in sample.arguments)


def _kind(value: Value) -> str:
    if isinstance(value, Tensor):
        return "tensor"
    if isinstance(value, Plain):
        return "None" if value.type == "NoneType" else value.type
    return "other"


def _joined(one: Calls, other: Calls) -> Calls:
    names = {**one.parameters, **other.parameters}
    parameters = {}
    for name in names:
        held = [calls.parameters[name] for calls in (one, other) if name in calls.parameters]
        kinds = frozenset[str]().union(*(seen.kinds for seen in held))
        sizes = tuple(sorted({axis for seen in held for axis in seen.sizes}))
        parameters[name] = Seen(kinds, sizes, any(seen.varies for seen in held))
    return Calls(one.count + other.count, one.root or other.root, parameters)
