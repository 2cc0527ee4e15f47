"""Compiled code against eager code on the given calls, and the meter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from .compare import Rules, declared_by, differences
from .draws import Draw
from .observe import OutOfMemoryError, Trace
from .runs import Runner
from .targets import FoundRecipe, Place, import_path
from .verdict import Counts, Request, Verdict, to_plain, verdict_from

_SHOWN = 3
_ALL = 1000

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Compilation:
    """What is to be compiled: the two texts of a request with calls that were run eagerly already.

    Attributes:
        recipe: the found callable and calls; None where the request names its own.
        unstable: families of facts that differ between two runs of the original.
    """

    recipe: FoundRecipe | None = None
    unstable: frozenset[str] = frozenset()

    def to_plain(self) -> dict[str, Any]:
        """The value as JSON-ready data."""
        return {"recipe": self.recipe and asdict(self.recipe), "unstable": sorted(self.unstable)}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> Compilation:
        """The inverse of `to_plain`."""
        held = data["recipe"]
        recipe = held and FoundRecipe(held["factory_text"], tuple(held["calls_text"]))
        return cls(recipe, frozenset(data["unstable"]))


def compile_both(request: Request, compilation: Compilation, tell: Tell) -> Verdict:
    """The counts of both texts and what compiling changes in the rewrite: VERIFIED where that is nothing.

    Raises:
        OutOfMemoryError: the memory limit was met.
    """
    work = _Compiler(request, compilation, tell)
    with import_path(work.place.root):
        return work.verdict()


def compile_aside(request: Request, plain: dict[str, Any]) -> dict[str, Any]:
    """The same on plain data, for another process; a lack of memory is a verdict too."""
    try:
        return to_plain(compile_both(request, Compilation.from_plain(plain), lambda _: None))
    except OutOfMemoryError as error:
        reason = f"out of memory at the limit of {request.memory_mb} MiB: {error}"
        return to_plain(Verdict("UNVERIFIED", (reason,)))


def from_aside(plain: dict[str, Any]) -> Verdict:
    """What `compile_aside` answered."""
    return verdict_from(plain)


class _Compiler:
    def __init__(self, request: Request, compilation: Compilation, tell: Tell) -> None:
        self.place = Place.of(request.path)
        self._request, self._tell = request, tell
        self._rules = Rules(tolerant=True, unstable=compilation.unstable)
        self._runner = Runner(request, self.place, compilation.recipe)
        self._limit_s = request.timeout_s / 2
        self._notes: list[str] = []
        self._lines: list[str] = []

    def verdict(self) -> Verdict:
        runner = self._runner
        runner.check_inputs()
        _, calls = runner.sample()
        given = Draw.given(len(calls))
        old = runner.eager(runner.old, given, self._limit_s)
        new = runner.eager(runner.new, given, self._limit_s)
        self._tell("compiling the rewrite")
        compiled_new, after = runner.compiled(runner.new, given, self._limit_s)
        self._tell("compiling the original")
        compiled_old, before = runner.compiled(runner.old, given, self._limit_s)
        self._hold_against(old, compiled_old, new, compiled_new, "eager")
        for backend in self._backends(new):
            if self._lines:
                break
            self._tell(f"compiling with {backend}")
            by_new, _ = runner.compiled(runner.new, given, self._limit_s, backend)
            if differences(new, by_new, self._rules, limit=1):
                by_old, _ = runner.compiled(runner.old, given, self._limit_s, backend)
                self._hold_against(old, by_old, new, by_new, backend)
        return self._answer(before.counts(), after.counts())

    def _answer(self, before: Counts, after: Counts) -> Verdict:
        status = Verdict("REFUTED" if self._lines else "VERIFIED", (*self._lines, *self._notes))
        return replace(status, before=before, after=after)

    def _backends(self, new: Trace) -> list[str]:
        backends = [name for name in self._request.backends if name != "eager"]
        if "aot_eager" not in backends and any(".gradient of " in path for path in new.facts):
            backends.append("aot_eager")
        return backends

    def _hold_against(self, old: Trace, compiled_old: Trace, new: Trace, compiled_new: Trace, backend: str) -> None:
        """What compiling changes in the rewrite, and not in the original."""
        usual = differences(old, compiled_old, self._rules, limit=_ALL)
        excused = {item.path for item in usual}
        for item in differences(new, compiled_new, self._rules, limit=_ALL):
            declared = declared_by(item, self._request.declared)
            if declared is not None:
                self._notes.append(f"as declared: {declared}")
            elif item.path not in excused and len(self._lines) < _SHOWN:
                self._lines.append(f"compiled with backend {backend} it differs from eager: {item}")
        if usual and not self._lines:
            self._notes.append(f"the original differs from itself when compiled with backend {backend}: {usual[0]}")
        self._notes = list(dict.fromkeys(self._notes))
