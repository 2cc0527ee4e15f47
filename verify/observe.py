"""Runs a sequence of calls on one callable and records everything that a caller can see."""

from __future__ import annotations

import contextlib
import hashlib
import random
import signal
import traceback
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

from .ambient import modes
from .channels import Channels
from .gradients import gradients
from .snapshot import Facts, Snapshot, attributes, closure, module_state, tensors_in
from .targets import Target, owner

Call = tuple[list[Any], dict[str, Any]]

_MAX_YIELDED = 1000
_LAZY = (types.GeneratorType, map, filter, zip)


class OutOfMemoryError(Exception):
    """User code met the memory limit; the verdict is not about its behaviour any more."""


class BetweenError(Exception):
    """What happens to an object between two calls fails; the message says what, and how."""


class OutOfTime(BaseException):
    """A single call ran past its limit. Not an Exception, so that user code does not swallow it."""


@dataclass(slots=True)
class Failure:
    """How a call ended that did not return.

    Attributes:
        kind: the exception's class name.
        deliberate: True where a `raise` or `assert` statement of the text itself raised it.
    """

    kind: str
    deliberate: bool


@dataclass(slots=True)
class Trace:
    """What a sequence of calls showed: facts under paths that begin with `start`, `call N` or `end`."""

    facts: Facts = field(default_factory=dict)
    failures: dict[int, Failure] = field(default_factory=dict)
    timed_out: bool = False


class Observer:
    """Observes one callable of one loaded module over a sequence of calls.

    Args:
        target: the text that the module was loaded from.
        module: the loaded module.
        function: the callable as it was built; its state is watched.
        limit_s: seconds that one call may take.
    """

    def __init__(self, target: Target, module: types.ModuleType, function: Callable[..., Any], limit_s: float) -> None:
        self.trace = Trace()
        self._target, self._module, self._function, self._limit_s = target, module, function, limit_s
        self._at_import = {f"global {name}" for name in vars(module)} | set(module_state(module))
        self._channels = Channels(target.filename, target.canonical)
        self._held: list[tuple[str, Any]] = []
        self._twice = False
        self._state(self._snapshot(), "start")

    def run(self, calls: Iterable[Call], run_as: Callable[..., Any] | None = None) -> Trace:
        """Make the calls in order (through `run_as`, where the callable is run in another form) and record them.

        Raises:
            OutOfMemoryError: the memory limit was met.
        """
        function = self._function if run_as is None else run_as
        # Compiled code need not be differentiable twice.
        self._twice = run_as is None
        with self._channels.open():
            try:
                for index, (args, kwargs) in enumerate(calls):
                    if not self._call(index, args, kwargs, function):
                        break
            except BetweenError as error:
                self.trace.facts["between the calls"] = str(error)
        self._end()
        return self.trace

    def _call(self, index: int, args: list[Any], kwargs: dict[str, Any], function: Callable[..., Any]) -> bool:
        path = f"call {index}"
        inputs = [*tensors_in(args, "args"), *tensors_in(kwargs, "kwargs")]
        before = _marks([*inputs, *self._registered()])
        returned: Any = None
        try:
            with alarm(self._limit_s):
                returned = function(*args, **kwargs)
                if isinstance(returned, _LAZY):
                    self.trace.facts[f"{path}.returned lazily"] = "an iterator"
                    returned = _exhausted(returned)
        except OutOfTime:
            self.trace.timed_out = True
            self.trace.facts[f"{path}.raised"] = f"did not return within {self._limit_s:g} s"
            return False
        except BaseException as error:
            self._raised(index, error)
        facts = self.trace.facts
        self._channels.record(facts, path)
        snapshot = self._snapshot()
        snapshot.add("args", args)
        snapshot.add("kwargs", kwargs)
        self._state(snapshot, path, returned=returned)
        for name, change in _changes(before, [*inputs, *self._registered()]).items():
            facts[f"{path}.{name}.written"] = change
        facts[f"{path}.random state"] = _random_state()
        facts[f"{path}.modes of torch"] = modes()
        self._gradients(path, returned, args, kwargs)
        self._held.append((f"{path}: returned", returned))
        self._held.append((f"{path}: args", (args, kwargs)))
        return True

    def _raised(self, index: int, error: BaseException) -> None:
        text = str(error)
        if isinstance(error, MemoryError) or "not enough memory" in text or "Cannot allocate memory" in text:
            raise OutOfMemoryError(text.splitlines()[0] if text else "MemoryError") from None
        frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
        deliberate = frame.f_code.co_filename == self._target.filename and line in self._target.raising_lines
        self.trace.failures[index] = Failure(type(error).__name__, deliberate)
        self.trace.facts[f"call {index}.raised"] = (type(error).__name__, self._target.canonical(text))
        if error.__cause__ is not None:
            cause = self._target.canonical(str(error.__cause__))
            self.trace.facts[f"call {index}.raised.from"] = (type(error.__cause__).__name__, cause)
        if type(error).__module__ == self._module.__name__:
            snapshot = self._snapshot()
            for name, value in attributes(error):
                snapshot.add(f"call {index}.raised.{name}", value)
            self.trace.facts |= snapshot.facts

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._target.canonical)

    def _state(self, snapshot: Snapshot, path: str, **more: Any) -> None:
        root = owner(self._function)
        if isinstance(root, types.FunctionType):
            for name, value in closure(root).items():
                snapshot.add(name, value)
        elif not isinstance(root, types.ModuleType):
            snapshot.add("self", root)
        for name, value in module_state(self._module).items():
            snapshot.add(name if name in self._at_import else f"new {name}", value)
        for name, value in more.items():
            snapshot.add(name, value)
        for name, fact in snapshot.facts.items():
            self.trace.facts[f"{path}.{name}"] = fact

    def _registered(self) -> list[tuple[str, torch.Tensor]]:
        root = owner(self._function)
        if not isinstance(root, nn.Module):
            return []
        named = [*root.named_parameters(remove_duplicate=False), *root.named_buffers(remove_duplicate=False)]
        return [(f"self.{name}", tensor) for name, tensor in named]

    def _gradients(self, path: str, returned: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Gradients of what was returned or handed over, and of what was stored, by inputs and parameters."""
        inputs = [*tensors_in(args, "args"), *tensors_in(kwargs, "kwargs")]
        results = [t for _, t in tensors_in(returned, "returned")] + [t for _, t in inputs if t.grad_fn is not None]
        wanted = [(n, t) for n, t in [*inputs, *self._registered()] if t.requires_grad and t.is_leaf]
        facts = self.trace.facts
        with self._muted():
            for name, fact in gradients(results, wanted, self._target.canonical, self._twice).items():
                facts[f"{path}.{name}"] = fact
            for name, fact in gradients(self._stored(), wanted, self._target.canonical, twice=False).items():
                facts[f"{path}.{name} through the state"] = fact

    def _stored(self) -> list[torch.Tensor]:
        """What autograd computed among the plain attributes of the callable's object and its parts."""
        root = owner(self._function)
        parts = list(root.modules()) if isinstance(root, nn.Module) else [root]
        held = [value for part in parts for _, value in attributes(part)]
        return [t for value in held for _, t in tensors_in(value, "") if t.grad_fn is not None]

    @contextlib.contextmanager
    def _muted(self) -> Iterator[None]:
        kept = list(self._channels.events)
        yield
        self._channels.events = kept

    def _end(self) -> None:
        """Results of earlier calls once more: a later call may have written into them; and the names to be saved."""
        snapshot = self._snapshot()
        for name, value in self._held:
            snapshot.add(name, value)
        root = owner(self._function)
        if isinstance(root, nn.Module):
            try:
                snapshot.facts["state_dict keys"] = tuple(root.state_dict())
            except Exception as error:
                snapshot.facts["state_dict keys"] = type(error).__name__
        for name, fact in snapshot.facts.items():
            self.trace.facts[f"end.{name}"] = fact


def _exhausted(returned: Iterable[Any]) -> list[Any]:
    """What a returned iterator yields, so that its body runs."""
    return [item for item, _ in zip(returned, range(_MAX_YIELDED), strict=False)]


def _marks(named: list[tuple[str, torch.Tensor]]) -> dict[str, tuple[torch.Tensor, int | None]]:
    return {name: (tensor, _version(tensor)) for name, tensor in named}


def _changes(
    before: dict[str, tuple[torch.Tensor, int | None]], after: list[tuple[str, torch.Tensor]]
) -> dict[str, str]:
    """Which tensors were written in place, by their version counters, or replaced by another one."""
    changes = {}
    for name, tensor in after:
        known, version = before.get(name, (None, None))
        if known is not None and known is not tensor:
            changes[name] = "replaced"
        elif known is not None and version != _version(tensor):
            changes[name] = "in place"
    return changes


def _version(tensor: torch.Tensor) -> int | None:
    return None if tensor.is_inference() else tensor._version


def _random_state() -> str:
    digest = hashlib.sha1(torch.get_rng_state().numpy().tobytes())
    digest.update(str(hash(random.getstate())).encode())
    _, keys, *rest = np.random.get_state(legacy=True)
    digest.update(np.asarray(keys).tobytes() + repr(rest).encode())
    return digest.hexdigest()[:12]


@contextlib.contextmanager
def alarm(limit_s: float) -> Iterator[None]:
    """Raise OutOfTime in the block once it has computed for `limit_s` seconds, and again every second after that.

    What it does without computing, as sleeping, may take three times as long: a busy machine keeps it waiting as well.
    """

    def ring(*_: object) -> None:
        raise OutOfTime

    limits = ((signal.SIGPROF, signal.ITIMER_PROF, limit_s), (signal.SIGALRM, signal.ITIMER_REAL, 3 * limit_s))
    previous = [signal.signal(number, ring) for number, _, _ in limits]
    for _, timer, seconds in limits:
        signal.setitimer(timer, seconds, 1.0)
    try:
        yield
    finally:
        for _, timer, _ in limits:
            signal.setitimer(timer, 0)
        for (number, _, _), handler in zip(limits, previous, strict=True):
            signal.signal(number, handler)
