"""Runs a program compiled, and its rewrite where there is one: once recorded, and then again and again to time it."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import torch

from .assemble import assembled
from .dynamo import user_compiles
from .ledger import Found, Recorded, Timing, Timings
from .observe import Call
from .recorder import Recorder
from .runs import Runner, muted
from .stopwatch import Clock, Timed, gain, race
from .targets import FoundRecipe, Place, Recipe, Target, import_path
from .trace import Run
from .verdict import Request, to_plain

Tell = Callable[[str], None]
Function = Callable[..., Any]

# Timing may take this share of the limit; compiling takes the rest.
_SHARE_FOR_TIMING = 0.3
_TIMING_S = 15.0
# The first from a cold cache.
_PASSES = 4


def record(request: Request, role: str, found: Iterable[Found], tell: Tell, folder: Path) -> Recorded:
    """Run the calls of a request once, compiled and recorded, in this process; graphs go to its first backend.

    Args:
        request: what to run; what it does not name is looked for.
        role: `old` or `new`.
        found: what was found in an earlier run.
        tell: hears what is about to be run.
        folder: where the recorder may write.

    Raises:
        TargetError: the text cannot be loaded, or built from, or nothing to call is found.
    """
    from .found import found_calls

    place = Place.of(request.path)
    with import_path(place.root):
        known = list(found)
        if not known and not (request.factory and request.inputs):
            known = found_calls(request, tell)
        program = _Program(request, place, known, request.backends[0])
        tell(f"recording the {'original' if role == 'old' else 'rewrite'}")
        run, raised = program.recorded(role, folder)
    return Recorded(run=run, raised=raised, found=known, extra_s=_in_a_new_process(request, role, known))


def extra_s(request: Request, role: str, found: Iterable[Found]) -> list[float]:
    """What each call takes longer from a cold cache than later on, in seconds, where nothing has been compiled yet.

    Args:
        request: what to run.
        role: `old` or `new`.
        found: what was found when it was recorded.

    Raises:
        TargetError: the text cannot be loaded, or built from.
    """
    place = Place.of(request.path)
    with import_path(place.root):
        return _Program(request, place, list(found), request.backends[0]).extra_s(role)


def _in_a_new_process(request: Request, role: str, found: Iterable[Found]) -> list[float]:
    """The same, measured in a process of its own; empty where it cannot be told.

    What a recorder has Dynamo write down takes time, above all for symbolic shapes; in a forked process the first call
    also pays for the pages that it shares. Code that was generated while recording is found on the disk, as by any
    process of the user's that is started again.
    """
    question = {"request": to_plain(request), "role": role, "found": msgspec.to_builtins(list(found))}
    command = [sys.executable, "-m", f"{__package__}.cold"]
    done = subprocess.run(command, input=msgspec.json.encode(question), capture_output=True, check=False)
    return [] if done.returncode else msgspec.json.decode(done.stdout, type=list[float])


def timed(request: Request, found: Iterable[Found], left_out: Iterable[int], tell: Tell) -> Timings:
    """Time the calls of a request, of both texts where they differ, in this process.

    Args:
        request: what to run.
        found: what was found when it was recorded.
        left_out: numbers of the calls that raise.
        tell: hears what is about to be run.

    Raises:
        TargetError: a text cannot be loaded, or built from.
    """
    place = Place.of(request.path)
    with import_path(place.root):
        program = _Program(request, place, list(found), request.backends[0])
        roles = ("old",) if request.new == request.old else ("old", "new")
        limit_s = min(_TIMING_S, _SHARE_FOR_TIMING * request.timeout_s)
        return program.timings(roles, frozenset(left_out), limit_s, tell)


@dataclass(frozen=True)
class _Part:
    """A callable with the maker of its calls."""

    function: Function
    make: Callable[[], list[Call]]
    target: Target


class _Program:
    def __init__(self, request: Request, place: Place, found: Sequence[Found], backend: str) -> None:
        recipes: list[Recipe | FoundRecipe] = [FoundRecipe(item.factory_text, item.calls_text) for item in found]
        named = Recipe(request.factory or "", request.inputs or "")
        self._runners = [Runner(request, place, recipe) for recipe in recipes or [named]]
        self._backend = backend

    def recorded(self, role: str, folder: Path) -> tuple[Run, dict[int, str]]:
        """Make the calls once; what was recorded, and what calls raised, by number."""
        torch._dynamo.reset()
        clock = Clock(self._backend)
        with contextlib.ExitStack() as stack:
            parts = self._compiled(stack, role, clock)
            target = parts[0].target
            raised: dict[int, str] = {}
            with _recording(folder) as finished:
                for number, (args, kwargs) in enumerate(_calls(parts)):
                    error = _raised_by(args, kwargs)
                    if error is not None:
                        raised[number] = target.one_line(error)
        # The text was loaded under a private name, and is to be told under the user's.
        told = target.canonical(msgspec.json.encode(finished()).decode())
        return msgspec.json.decode(told, type=Run), raised

    def extra_s(self, role: str) -> list[float]:
        """What each call takes longer from a cold cache than later on, in seconds."""
        with contextlib.ExitStack() as stack:
            parts = self._compiled(stack, role, Clock(self._backend))
            # What the judge itself has loaded is none of the program's, and is not to be collected in its time.
            gc.collect()
            gc.freeze()
            stack.callback(gc.unfreeze)
            passes = [[_wall_s(args, kwargs) for args, kwargs in _calls(parts)] for _ in range(_PASSES)]
        return [max(0.0, cold - min(later)) for cold, *later in zip(*passes, strict=True)]

    def timings(self, roles: Sequence[str], left_out: frozenset[int], limit_s: float, tell: Tell) -> Timings:
        """Time the texts against each other and against the original without compilation."""
        torch._dynamo.reset()
        clock = Clock(self._backend)
        with contextlib.ExitStack() as stack:
            stack.enter_context(clock.listening())
            with user_compiles(None):
                plain = self._parts(stack, "old")
            programs = [Timed(_dispatched, functools.partial(_calls, plain), left_out=left_out)]
            for role in roles:
                tell(f"compiling the {'original' if role == 'old' else 'rewrite'}")
                parts = self._compiled(stack, role, clock)
                programs.append(Timed(_dispatched, functools.partial(_calls, parts), clock, left_out))
                programs[-1].warm_up()
            tell("timing the calls")
            race(programs, limit_s)
            eager, *compiled = programs
            told = [Timing(guard_us=each.guard_us(), call_us=each.call_us, gaps=each.gaps) for each in compiled]
        return Timings(
            before=told[0],
            after=told[1] if len(told) > 1 else None,
            eager_us=eager.call_us,
            gain=gain(compiled[0], compiled[1]) if len(told) > 1 else None,
        )

    def _compiled(self, stack: contextlib.ExitStack, role: str, clock: Clock) -> list[_Part]:
        """The callables, compiled where their author wants, else each as an entry of its own."""
        stack.enter_context(muted())
        asked = stack.enter_context(user_compiles(clock.backend))
        parts = self._parts(stack, role)
        if asked:
            return parts
        return [replace(part, function=torch.compile(part.function, backend=clock.backend)) for part in parts]

    def _parts(self, stack: contextlib.ExitStack, role: str) -> list[_Part]:
        found = []
        for runner in self._runners:
            target = runner.plain_old if role == "old" else runner.new
            if role == "new":
                runner.check_inputs()
            _, function, make = stack.enter_context(runner.ready(target))
            found.append(_Part(function, make, target))
        return found


def _wall_s(args: Sequence[Any], kwargs: dict[str, Any]) -> float:
    started = time.perf_counter()
    _raised_by(args, kwargs)
    return time.perf_counter() - started


@contextlib.contextmanager
def _recording(folder: Path) -> Iterator[Callable[[], Run]]:
    """Record what Dynamo does; call what is yielded to have it."""
    Recorder(str(folder), contents=False).start()

    def finished() -> Run:
        runs = [run for file in folder.glob("*.jsonl") if (run := assembled(file)) is not None]
        return max(runs, key=lambda run: run.pid == os.getpid(), default=Run())

    yield finished


def _raised_by(args: Sequence[Any], kwargs: dict[str, Any]) -> Exception | None:
    """The exception of a call; None where it returns."""
    try:
        _dispatched(*args, **kwargs)
    except Exception as error:
        return error
    return None


def _dispatched(function: Function, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _calls(parts: Sequence[_Part]) -> list[Call]:
    """The calls of all callables, each with its callable first."""
    return [([part.function, *args], kwargs) for part in parts for args, kwargs in part.make()]
