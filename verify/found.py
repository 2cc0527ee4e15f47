"""Judges a rewrite without being told what to call: finds the callables that reach what changed, and calls for them."""

from __future__ import annotations

import ast
import time
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from .aside import Aside
from .clock import Deadline
from .enrich import Calls, enriched
from .explore import Attempt, Explorer, Plan
from .guesses import Guess, field_guesses, guesses
from .inputs import compared_constants
from .ledger import Found
from .observe import OutOfMemoryError
from .reach import Function, Outline, Unit, candidates, changed
from .replay import recorded_calls
from .targets import FoundRecipe, Place, Recipe, Target, TargetError, import_path
from .trial import Scope, try_out
from .verdict import Arm, Counts, Request, Verdict

Tell = Callable[[str], None]

_MAX_TARGETS = 8
_SEARCH_S = 4.0
_VARIATIONS_S = 12.0
# What is left of the time limit is for the variations and for compiling.
_SHARE_FOR_SEARCH = 0.25
_SHARE_FOR_VARIATIONS = 0.4


@dataclass(frozen=True, slots=True)
class _Tried:
    """A target and what came of it; `calls` is None where none was found, and `why` says why."""

    unit: Unit
    verdict: Verdict | None = None
    calls: Calls | None = None
    why: str = ""


def examine_found(request: Request, tell: Tell = lambda _: None, aside: Aside | None = None) -> Verdict:
    """Judge a request that names no factory, in this process, which runs user code."""
    try:
        old = Outline.of(request.old)
    except SyntaxError as error:
        return _undecided(request, f"the original: line {error.lineno}: {error.msg}")
    try:
        new = Outline.of(request.new)
    except SyntaxError as error:
        return Verdict("REFUTED", (f"the rewrite: line {error.lineno}: {error.msg}",), seed=request.seed)
    place = Place.of(request.path)
    with import_path(place.root):
        try:
            target = Target(request.old, place, "old")
            target.unload(target.load())
            search = _RecordedSearch if request.evidence else _Search
            return search(request, tell, old, new, target, aside).verdict()
        except TargetError as error:
            return _undecided(request, str(error))
        except OutOfMemoryError as error:
            return _undecided(request, f"out of memory at the limit of {request.memory_mb} MiB: {error}")


def found_calls(request: Request, tell: Tell) -> list[Found]:
    """The callables of the original that no other of its callables reaches, each with calls that work; not judged.

    Raises:
        TargetError: the original cannot be loaded, or no call of it is found.
    """
    outline = Outline.of(request.old)
    target = Target(request.old, Place.of(request.path), "old")
    target.unload(target.load())
    found = list(_Search(request, tell, outline, outline, target).calls())
    if not found:
        raise TargetError("no call was found that works; name a factory and inputs")
    return found


def _undecided(request: Request, reason: str) -> Verdict:
    return Verdict("UNVERIFIED", (reason,), seed=request.seed)


class _Search:
    def __init__(
        self, request: Request, tell: Tell, old: Outline, new: Outline, target: Target, aside: Aside | None = None
    ) -> None:
        self._aside = aside
        self._request, self._tell, self._old, self._new, self._target = request, tell, old, new, target
        self._constants = compared_constants(request.old)
        self._sizes = [n for n in self._constants.numbers if isinstance(n, int) and 0 < n <= 64]
        self._changed = changed(old, new)
        self._ends = time.monotonic() + 0.9 * request.timeout_s

    def verdict(self) -> Verdict:
        """The verdict on everything that was found."""
        chosen, entries = self._chosen()
        if not chosen:
            return _undecided(self._request, self._nothing_to_call())
        tried: list[_Tried] = []
        for number, unit in enumerate(chosen):
            if _is_private(unit) and self._is_covered(unit, tried):
                continue
            result = self._try(unit, unit.name in entries or not _verified(tried), len(chosen) - number)
            tried.append(result)
            if result.verdict is not None and result.verdict.status == "REFUTED":
                return self._of_refuted(result, result.verdict)
        return self._merged(tried)

    def calls(self) -> Iterator[Found]:
        """Calls of everything that is chosen."""
        chosen, _ = self._chosen()
        for number, unit in enumerate(chosen):
            if _is_private(unit):
                continue
            share = (self._ends - time.monotonic()) / (len(chosen) - number)
            calls, _ = self._calls(unit, share)
            if calls is not None:
                yield Found(name=unit.name, factory_text=calls.build, calls_text=calls.calls)

    def _chosen(self) -> tuple[list[Unit], frozenset[str]]:
        """What to call, what others do not reach first; and the names of those."""
        if self._request.factory:
            unit = _built_by(self._request.factory, self._target, self._old)
            return [unit], frozenset((unit.name,))
        wanted = self._changed or frozenset(self._old.units)
        reached = {unit.name: self._old.leads_to(unit.name) for unit in candidates(self._old)}
        units = [unit for unit in candidates(self._old) if reached[unit.name] & wanted]
        names = {unit.name for unit in units}
        entries = frozenset(
            name
            for name in names
            if not any(name in reached[other] and other not in reached[name] for other in names - {name})
        ) - {unit.name for unit in units if _is_private(unit)}
        order = sorted(
            units, key=lambda u: (u.name not in entries, _is_private(u), u.name not in self._changed, u.lines[0])
        )
        if not self._changed:
            order = [unit for unit in order if unit.name in entries]
        return order[:_MAX_TARGETS], entries

    def _nothing_to_call(self) -> str:
        names = ", ".join(sorted(self._changed)) or "the file"
        return f"nothing to run: no function or method leads to {names}; name a factory and inputs"

    def _is_covered(self, unit: Unit, tried: Iterable[_Tried]) -> bool:
        return any(t.calls is not None and _runs(unit, t.calls) for t in tried if t.verdict is not None)

    def _try(self, unit: Unit, compiled: bool, left: int) -> _Tried:
        now = time.monotonic()
        share = (self._ends - now) / left
        calls, why = self._calls(unit, share)
        if calls is None:
            return _Tried(unit, why=why)
        if self._is_gone(unit):
            return _Tried(unit, calls=calls, why=f"{unit.name} is not in the rewrite")
        request = replace(self._request, timeout_s=max(share, 1.0))
        scope = Scope(Deadline(_VARIATIONS_S, share * _SHARE_FOR_VARIATIONS), compiled, arms=False)
        recipe = FoundRecipe(calls.build, calls.calls)
        verdict = try_out(request, lambda doing: self._tell(f"{doing} ({unit.name})"), recipe, scope, self._aside)
        return _Tried(unit, verdict, calls)

    def _calls(self, unit: Unit, share: float) -> tuple[Calls | None, str]:
        """Calls of a target that work, looked for in part of its share of the time, in s; or why there are none."""
        self._tell(f"looking for calls of {unit.name}")
        explorer = self._explorer(share)
        plan = plan_for(unit, self._old)
        if self._request.factory:
            plan = replace(plan, building=(), made=f"module.{self._request.factory}()")
        try:
            attempt, outcome = explorer.find(plan)
        except TargetError as error:
            return None, str(error)
        if outcome.error is not None:
            why = self._target.one_line(outcome.error)
            return None, f"no call of {unit.name} was found that works: {why}"
        return enriched(explorer, plan, attempt, outcome, self._constants), ""

    def _explorer(self, share: float) -> Explorer:
        return Explorer(self._target, Deadline(_SEARCH_S, share * _SHARE_FOR_SEARCH), self._sizes)

    def _is_gone(self, unit: Unit) -> bool:
        """A private helper may go; anything else that goes is missed by someone."""
        return _is_private(unit) and unit.name not in self._new.units

    def _of_refuted(self, result: _Tried, verdict: Verdict) -> Verdict:
        first, *rest = verdict.reasons
        return replace(verdict, reasons=(f"{result.unit.name}: {first}", *rest))

    def _merged(self, tried: list[_Tried]) -> Verdict:
        ran = [t for t in tried if t.verdict is not None]
        verified = _verified(tried)
        arms = _summed(v.arms for t in ran if (v := t.verdict))
        before = _united([v.before for t in ran if (v := t.verdict) and v.before])
        after = _united([v.after for t in ran if (v := t.verdict) and v.after])
        notes = [note for t in ran if t.verdict for note in t.verdict.reasons[1:]]
        failures = [t.why for t in tried if t.why]
        lacking = list(self._lacking(verified, arms))
        if not self._changed and not lacking and not verified and not ran:
            reasons = ["original and rewrite are the same program: only their formatting differs", *failures]
            return Verdict("VERIFIED", tuple(reasons), seed=self._request.seed)
        if lacking or not verified:
            undecided = [
                f"{t.unit.name}: {t.verdict.reasons[0]}" for t in ran if t.verdict and t.verdict.status == "UNVERIFIED"
            ]
            reasons = list(dict.fromkeys((*undecided, *lacking, *failures))) or ["nothing could be run"]
            return Verdict("UNVERIFIED", (*reasons, *notes), None, arms, before, after, self._request.seed)
        shown = ", ".join(f"{t.unit.name} ({len(t.calls.calls) if t.calls else 0} calls)" for t in verified)
        head = f"no difference on found calls of {shown}, varied"
        return Verdict("VERIFIED", (head, *failures, *notes), None, arms, before, after, self._request.seed)

    def _lacking(self, verified: list[_Tried], arms: tuple[Arm, ...]) -> Iterator[str]:
        """What changed and did not run in a target that showed no difference."""
        for arm in arms:
            if not arm.exercised:
                side = "true" if not arm.taken else "false"
                yield f"branch not exercised: the condition at line {arm.line} was never {side}"
        calls = [t.calls for t in verified if t.calls is not None]
        for name in sorted(self._changed):
            unit = self._old.units[name]
            if isinstance(unit.node, ast.ClassDef):
                if not any(t.unit.owner == name or name in self._old.leads_to(t.unit.name) for t in verified):
                    yield f"no call that was found reaches {name}"
            elif not any(_runs(unit, each) for each in calls):
                yield f"no call that was found reaches {name}"
            else:
                missed = sorted(self._changed_lines(unit) - frozenset().union(*(each.lines for each in calls)))
                if missed:
                    yield f"line {missed[0]} changed and no call that was found runs it"

    def _changed_lines(self, unit: Unit) -> frozenset[int]:
        """The first lines of a unit's simple statements that the rewrite has neither there nor in what it added."""
        others = [self._new.units[name] for name in self._new.units if name == unit.name or name not in self._old.units]
        kept = [ast.dump(node) for other in others for node in ast.walk(other.node)]
        found = set()
        for node in ast.walk(unit.node):
            if not isinstance(node, ast.stmt) or hasattr(node, "body"):
                continue
            if not isinstance(node, (ast.Global, ast.Nonlocal, ast.Pass)):
                text = ast.dump(node)
                if text in kept:
                    kept.remove(text)
                elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                    found.add(node.lineno)
        return frozenset(found)


class _RecordedSearch(_Search):
    """Calls what was recorded, and looks for calls of the rest."""

    def __init__(
        self, request: Request, tell: Tell, old: Outline, new: Outline, target: Target, aside: Aside | None = None
    ) -> None:
        super().__init__(request, tell, old, new, target, aside)
        self._recorded = recorded_calls(request.evidence, request.path, target.place.name)

    def _chosen(self) -> tuple[list[Unit], frozenset[str]]:
        """What was recorded comes first: the entry that the user compiles, then what it is cut into."""
        units, entries = super()._chosen()
        known = [self._old.units[name] for name in self._recorded if name in self._old.units]
        wanted = self._changed or frozenset(self._old.units)
        reached = {unit.name: self._old.leads_to(unit.name) | {unit.name} for unit in known}
        leading, covered = list[Unit](), set[str]()
        for unit in known:
            # What a recorded call runs already need not be called by itself.
            if (reached[unit.name] & wanted) - covered:
                leading.append(unit)
                covered |= reached[unit.name]
        rest = [u for u in units if u not in leading and (self._old.leads_to(u.name) | {u.name}) & (wanted - covered)]
        return [*leading, *rest][:_MAX_TARGETS], entries | {unit.name for unit in leading}

    def _calls(self, unit: Unit, share: float) -> tuple[Calls | None, str]:
        recorded = self._recorded.get(unit.name)
        if recorded is None:
            return super()._calls(unit, share)
        explorer = self._explorer(share)
        plan = replace(plan_for(unit, self._old), building=(), made=recorded.build)
        texts = [call.text for call in recorded.calls]
        outcome = explorer.run(recorded.build, texts)
        if outcome.error is None:
            return enriched(explorer, plan, Attempt((), recorded.arguments), outcome, self._constants, texts), ""
        said = self._target.one_line(outcome.error)
        found, _ = super()._calls(unit, share)
        return found, f"the recorded calls of {unit.name} do not work: {said}"


def plan_for(unit: Unit, outline: Outline) -> Plan:
    """How a function or a method of a text is called."""
    method = unit.name.rpartition(".")[2]
    building: tuple[Guess, ...] = ()
    if unit.owner:
        init = outline.units.get(f"{unit.owner}.__init__")
        building = guesses(init, outline) if init else field_guesses(unit.owner, outline)
    taken = "" if not unit.owner or method in ("forward", "__call__") else method
    return Plan(unit.name, unit.owner, taken, building, guesses(unit, outline))


def _built_by(factory: str, target: Target, outline: Outline) -> Unit:
    """The function or method that is called when what a factory builds is called.

    Raises:
        TargetError: it is not known in the text.
    """
    if ":" in factory:
        raise TargetError("nothing to run: no inputs named")
    module = target.load()
    try:
        made = Recipe(factory, "").build(target, module)
    finally:
        target.unload(module)
    own = made if isinstance(made, (types.FunctionType, types.MethodType)) else type(made)
    names = (own.__qualname__, f"{own.__qualname__}.forward", f"{own.__qualname__}.__call__")
    unit = next(
        (outline.units[n] for n in names if n in outline.units and isinstance(outline.units[n].node, Function)), None
    )
    if unit is None:
        raise TargetError(f"nothing to run: no inputs named, and what {factory} builds is not of this file")
    return unit


def _is_private(unit: Unit) -> bool:
    return any(part.startswith("_") and part != "__call__" for part in unit.name.split("."))


def _runs(unit: Unit, calls: Calls) -> bool:
    # A trace knows a code object by the line of its `def`, or of its first decorator.
    return any(line in unit.lines for line, *_ in calls.steps) and bool(calls.lines & frozenset(unit.lines))


def _verified(tried: Iterable[_Tried]) -> list[_Tried]:
    return [t for t in tried if t.verdict is not None and t.verdict.status == "VERIFIED"]


def _summed(groups: Iterable[tuple[Arm, ...]]) -> tuple[Arm, ...]:
    counts: dict[tuple[int, int], list[int]] = {}
    for arm in (arm for group in groups for arm in group):
        held = counts.setdefault((arm.line, arm.column), [0, 0])
        held[0] += arm.taken
        held[1] += arm.not_taken
    return tuple(Arm(*place, *held) for place, held in sorted(counts.items()))


def _united(counts: list[Counts]) -> Counts | None:
    """The counts of several entries as those of one."""
    if not counts:
        return None
    ratios = [c.captured_ratio for c in counts if c.captured_ratio is not None]
    outside = [c.uncaptured for c in counts if c.uncaptured is not None]
    return Counts(
        graphs=sum(c.graphs for c in counts),
        break_sites=tuple(sorted({site for c in counts for site in c.break_sites})),
        break_events=sum(c.break_events for c in counts),
        skipped_frames=sum(c.skipped_frames for c in counts),
        recompiles=sum(c.recompiles for c in counts),
        limit_hits=sum(c.limit_hits for c in counts),
        captured_ratio=sum(ratios) / len(ratios) if ratios else None,
        uncaptured=sum(outside) / len(outside) if outside else None,
    )
