"""Finds a call that the original accepts: guesses are tried, and repaired by what goes wrong."""

from __future__ import annotations

import contextlib
import functools
import heapq
import io
import itertools
import logging
import sys
import types
import warnings
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from .ambient import restored
from .clock import Deadline
from .dynamo import user_compiles
from .guesses import Guess
from .observe import OutOfMemoryError, OutOfTime, alarm
from .repair import Repair
from .specs import CallSpec, NamedSpec, Spec, evaluate
from .targets import Target, TargetError, seed_everything

_CALL_S = 1.0
_MAX_TRIES = 600

# An executed step: the code's first line, its name, and the offsets of two instructions that followed each other.
Step = tuple[int, str, int, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a sequence of calls.

    Attributes:
        steps: what was executed in the text.
        lines: the lines of it that were executed.
        error: the exception that ended the last call; None where it returned.
        deliberate: True where a `raise` or `assert` of the text raised it.
        stage: `build`, `call`, or empty where nothing failed.
    """

    steps: frozenset[Step]
    lines: frozenset[int] = frozenset()
    error: BaseException | None = None
    deliberate: bool = False
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Arguments for the constructor and for the call, by name."""

    build: tuple[tuple[str, Spec], ...]
    call: tuple[tuple[str, Spec], ...]

    def spec(self, key: tuple[str, str]) -> Spec | None:
        """The argument at a key: `build` or `call`, and a name."""
        return dict(self.build if key[0] == "build" else self.call).get(key[1])

    def with_spec(self, key: tuple[str, str], spec: Spec | None) -> Attempt:
        """Another argument in its place; None leaves it out."""
        held = dict(self.build if key[0] == "build" else self.call)
        held.pop(key[1], None) if spec is None else held.__setitem__(key[1], spec)
        return replace(self, **{key[0]: tuple(held.items())})

    def with_each(self, key: tuple[str, str], specs: Iterable[Spec | None]) -> Iterator[Attempt]:
        """Each of some other arguments in its place."""
        return (self.with_spec(key, spec) for spec in specs)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of all arguments, the call's first."""
        return (*(("call", name) for name, _ in self.call), *(("build", name) for name, _ in self.build))


@dataclass(frozen=True, slots=True)
class Plan:
    """How one target is called.

    Attributes:
        name: `f`, `C.forward` or `C.method`.
        owner: the class to build; empty for a function.
        method: the method to take from the object; empty where the object itself is called.
        building, calling: guesses for the parameters of the constructor and of the call.
        made: the expression of the callable, where it is known.
    """

    name: str
    owner: str
    method: str
    building: tuple[Guess, ...]
    calling: tuple[Guess, ...]
    made: str = ""

    def build_text(self, attempt: Attempt) -> str:
        """The expression of the callable."""
        if self.made:
            return self.made
        if not self.owner:
            return f"module.{self.name}"
        made = NamedSpec(f"module.{self.owner}", attempt.build).text
        return f"{made}.{self.method}" if self.method else made

    def call_spec(self, attempt: Attempt) -> CallSpec:
        """The call: in order as far as nothing is left out, then by name."""
        held, args, kwargs, gap = dict(attempt.call), [], [], False
        for guess in self.calling:
            spec = held.get(guess.name)
            if spec is None:
                gap = True
            elif gap or guess.by_keyword or not guess.required:
                kwargs.append((guess.name, spec))
                gap = True
            else:
                args.append(spec)
        return CallSpec(tuple(args), tuple(kwargs))

    def first(self) -> Attempt:
        """The likeliest arguments; what may be left out is."""
        build = tuple((g.name, g.options[0]) for g in self.building if g.required and g.options)
        call = tuple((g.name, g.options[0]) for g in self.calling if g.required and g.options)
        return Attempt(build, call)


class Explorer:
    """Runs attempts on one text, in a fresh module for each, and watches which instructions run.

    Args:
        target: the original.
        deadline: when to stop.
        sizes: sizes that the text speaks of.
    """

    def __init__(self, target: Target, deadline: Deadline, sizes: Iterable[int] = ()) -> None:
        self.deadline = deadline
        self._sizes = frozenset(sizes)
        self._target = target
        self.runs = 0

    @property
    def late(self) -> bool:
        """True where the time is over."""
        return self.deadline.passed

    def run(self, build: str, calls: list[str], look: Callable[[Any], None] | None = None) -> Outcome:
        """Build and call, all calls on one object; `look` is shown the object.

        Raises:
            TargetError: the text cannot be imported.
            OutOfMemoryError: the memory limit was met.
        """
        self.runs += 1
        steps: set[Step] = set()
        lines: set[int] = set()
        stage = "build"
        with user_compiles(None), _silenced(), restored():
            module = self._target.load()
            try:
                seed_everything(0)
                with alarm(_CALL_S * (1 + len(calls))), _watched(self._target.filename, steps, lines):
                    function = evaluate(build, module)
                    if look:
                        look(function)
                    stage = "call"
                    for text in calls:
                        args, kwargs = evaluate(text, module)
                        returned = function(*args, **kwargs)
                        if isinstance(returned, types.GeneratorType):
                            list(itertools.islice(returned, 100))
            except (Exception, SystemExit, OutOfTime) as error:
                return self._failed(error, steps, lines, stage)
            finally:
                self._target.unload(module)
        return Outcome(frozenset(steps), frozenset(lines))

    def _failed(self, error: BaseException, steps: set[Step], lines: set[int], stage: str) -> Outcome:
        if isinstance(error, MemoryError) or "not enough memory" in str(error):
            raise OutOfMemoryError(str(error)) from None
        deliberate = False
        trace = error.__traceback__
        while trace is not None:
            own = trace.tb_frame.f_code.co_filename == self._target.filename
            deliberate = own and trace.tb_lineno in self._target.raising_lines
            trace = trace.tb_next
        return Outcome(frozenset(steps), frozenset(lines), error.with_traceback(None), deliberate, stage)

    def find(
        self,
        plan: Plan,
        first: Attempt | None = None,
        tries: int = _MAX_TRIES,
        only: Container[tuple[str, str]] | None = None,
    ) -> tuple[Attempt, Outcome]:
        """A call that returns, or the attempt that came furthest with what went wrong.

        The search goes on from the attempt that ran most of the code, with the changes that its error asks for first.

        Args:
            plan: what is called.
            first: where to start; the likeliest arguments by default.
            tries: how many attempts to make.
            only: the keys of the arguments that may be changed; all of them by default.

        Raises:
            TargetError: the text cannot be imported.
            OutOfMemoryError: the memory limit was met.
        """
        order = itertools.count()
        first = first or plan.first()
        queue: list[tuple[float, int, Attempt, Outcome, Iterator[Attempt]]] = []
        seen: set[Attempt] = set()
        best: list[tuple[Attempt, Outcome]] = []

        def consider(attempt: Attempt, depth: int) -> Outcome | None:
            if attempt in seen:
                return None
            seen.add(attempt)
            sizes = set(self._sizes)
            values: set[float] = set()
            look = functools.partial(_sizes, found=sizes, values=values)
            outcome = self.run(plan.build_text(attempt), [plan.call_spec(attempt).text], look)
            if not best or outcome.error is None or len(outcome.steps) > len(best[0][1].steps):
                best[:] = [(attempt, outcome)]
            if outcome.error is not None:
                moves = Repair(plan, attempt, outcome, frozenset(sizes), frozenset(values), only).moves()
                score = -len(outcome.steps) + 4.0 * depth + (3.0 if outcome.deliberate else 0.0)
                heapq.heappush(queue, (score, next(order), attempt, outcome, moves))
            return outcome

        done = consider(first, 0)
        depths = {first: 0}
        while queue and not self.late and len(seen) < tries and not (done and done.error is None):
            score, number, attempt, outcome, moves = heapq.heappop(queue)
            taken = list(itertools.islice(moves, 8))
            for move in taken:
                done = consider(move, depths[attempt] + 1)
                depths.setdefault(move, depths[attempt] + 1)
                if (done and done.error is None) or self.late:
                    break
            if taken:
                # Each further handful of changes is less likely to be the right one.
                heapq.heappush(queue, (score + 3.0, number, attempt, outcome, moves))
        if not best:
            raise TargetError("there was no time to try a call")
        return best[0]


def _sizes(function: Any, found: set[int], values: set[float]) -> None:
    """The sizes that a built object speaks of (of its tensors, and its small integers), and values in its tensors."""
    root = getattr(function, "__self__", function)
    parts = list(root.modules()) if isinstance(root, torch.nn.Module) else [root]
    for part in parts:
        held = [*vars(part).values()] if hasattr(part, "__dict__") else []
        if isinstance(part, torch.nn.Module):
            held += [*part._parameters.values(), *part._buffers.values()]
        for value in held:
            if isinstance(value, torch.Tensor):
                found.update(size for size in value.shape if 0 < size <= 64)
                if not isinstance(value, torch.nn.Parameter) and 0 < value.numel() <= 4096 and not value.is_complex():
                    flat = value.detach().flatten()
                    values.update(float(flat[i]) for i in (0, -1))
            elif type(value) is int and 0 < value <= 64:
                found.add(value)


@contextlib.contextmanager
def _watched(filename: str, steps: set[Step], lines: set[int]) -> Iterator[None]:
    """Record the steps between instructions, and the lines, in frames of one file."""

    def local(previous: list[int]) -> Callable[..., Any]:
        def trace(frame: types.FrameType, event: str, _: Any) -> Callable[..., Any]:
            if event == "opcode":
                code = frame.f_code
                steps.add((code.co_firstlineno, code.co_name, previous[0], frame.f_lasti))
                previous[0] = frame.f_lasti
                lines.add(frame.f_lineno)
            return trace

        return trace

    def outer(frame: types.FrameType, _event: str, _: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != filename:
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return local([-1])

    before = sys.gettrace()
    sys.settrace(outer)
    try:
        yield
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            with contextlib.redirect_stderr(io.StringIO()):
                yield
    finally:
        logging.disable(level)
