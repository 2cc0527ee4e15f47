"""Runs a sequence of calls on one callable and records everything that a caller can see."""

from __future__ import annotations

import contextlib
import hashlib
import io
import logging
import random
import signal
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
import torch
from torch import nn

from .snapshot import Facts, Snapshot, closure, module_globals, tensors_in
from .targets import Target, owner

Call = tuple[list[Any], dict[str, Any]]

_MAX_YIELDED = 1000


_F = TypeVar("_F", bound=Callable[..., Any])


def _untraced(function: _F) -> _F:
    """Dynamo meets such functions as callees of user code that broke the graph; they are no part of it."""
    return cast(_F, torch._dynamo.disable(function))  # type: ignore[no-untyped-call]


class OutOfMemoryError(Exception):
    """User code met the memory limit; the verdict is not about its behaviour any more."""


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


class Channels(logging.Handler):
    """Records prints, log records and warnings of a block, in the order in which they appear."""

    def __init__(self, canonical: Callable[[str], str]) -> None:
        super().__init__(logging.NOTSET)
        self.events: list[tuple[str, ...]] = []
        self._canonical = canonical

    @_untraced
    def emit(self, record: logging.LogRecord) -> None:
        """Keep a log record of user code."""
        if record.name.split(".")[0] != "torch":
            name = self._canonical(record.name)
            self.events.append(("log", name, record.levelname, self._canonical(record.getMessage())))

    @_untraced
    def warn(self, message: Warning | str, category: type[Warning], *_: Any) -> None:
        """Keep a warning; takes the arguments of `warnings.showwarning`."""
        self.events.append(("warning", category.__name__, self._canonical(str(message))))

    @_untraced
    def write(self, channel: str, text: str) -> None:
        """Keep printed text; neighbouring pieces are joined."""
        if self.events and self.events[-1][0] == channel:
            text = self.events.pop()[1] + text
        self.events.append((channel, text))

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Capture until the block ends."""
        root = logging.getLogger()
        existing = [item for item in root.manager.loggerDict.values() if isinstance(item, logging.Logger)]
        listening = [root, *(item for item in existing if not item.propagate and item.name.split(".")[0] != "torch")]
        for logger in listening:
            logger.addHandler(self)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.showwarning = cast(Any, self.warn)
                out, err = _Stream(self, "stdout"), _Stream(self, "stderr")
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    yield
        finally:
            for logger in listening:
                logger.removeHandler(self)

    def record(self, facts: Facts, path: str) -> None:
        """Put the events under `path` and forget them."""
        for index, (channel, *texts) in enumerate(self.events):
            facts[f"{path}.emitted[{index}]"] = (channel, *(self._canonical(text) for text in texts))
        facts[f"{path}.emitted"] = f"{len(self.events)} events"
        self.events = []


class _Stream(io.TextIOBase):
    def __init__(self, channels: Channels, channel: str) -> None:
        self._channels, self._channel = channels, channel

    def writable(self) -> bool:
        return True

    @_untraced
    def write(self, text: str) -> int:
        self._channels.write(self._channel, text)
        return len(text)


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
        self._at_import = set(vars(module))
        self._channels = Channels(target.canonical)
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
            for index, (args, kwargs) in enumerate(calls):
                if not self._call(index, args, kwargs, function):
                    break
        self._end()
        return self.trace

    def _call(self, index: int, args: list[Any], kwargs: dict[str, Any], function: Callable[..., Any]) -> bool:
        path = f"call {index}"
        inputs = [*tensors_in(args, "args"), *tensors_in(kwargs, "kwargs")]
        before = _marks([*inputs, *self._registered()])
        returned: Any = None
        try:
            with alarm(self._limit_s):
                returned = _exhaust(function(*args, **kwargs))
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
        self._gradients(path, returned, inputs)
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
            self.trace.facts[f"call {index}.raised.from"] = type(error.__cause__).__name__

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._target.canonical)

    def _state(self, snapshot: Snapshot, path: str, **more: Any) -> None:
        root = owner(self._function)
        if isinstance(root, types.FunctionType):
            for name, value in closure(root).items():
                snapshot.add(name, value)
        elif not isinstance(root, types.ModuleType):
            snapshot.add("self", root)
        for name, value in module_globals(self._module).items():
            snapshot.add(f"{'global' if name in self._at_import else 'new global'} {name}", value)
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

    def _gradients(self, path: str, returned: Any, inputs: list[tuple[str, torch.Tensor]]) -> None:
        """Gradients of a fixed random weighing of all outputs: a plain sum would hide what cancels in it."""
        results = [*tensors_in(returned, "returned"), *((n, t) for n, t in inputs if t.grad_fn is not None)]
        outputs = [t for _, t in results if t.requires_grad and (t.is_floating_point() or t.is_complex())]
        parameters = [(n, t) for n, t in self._registered() if t.requires_grad]
        wanted = [(n, t) for n, t in [*inputs, *parameters] if t.requires_grad and t.is_leaf]
        if not outputs or not wanted:
            return
        generator = torch.Generator().manual_seed(99)
        weights = [_weights(t, generator) for t in outputs]
        unique = list({id(t): t for _, t in wanted}.values())
        with torch.enable_grad(), self._muted():
            try:
                found = torch.autograd.grad(
                    outputs, unique, weights, retain_graph=True, create_graph=self._twice, allow_unused=True
                )
            except RuntimeError as error:
                self.trace.facts[f"{path}.backward"] = (type(error).__name__, self._target.canonical(str(error)))
                return
            second = _second(found, unique, generator) if self._twice else {}
        self._record_gradients(path, wanted, unique, found, second)

    def _record_gradients(
        self,
        path: str,
        wanted: list[tuple[str, torch.Tensor]],
        unique: list[torch.Tensor],
        found: tuple[torch.Tensor | None, ...],
        second: dict[int, torch.Tensor],
    ) -> None:
        by_id = {id(t): None if g is None else g.detach() for t, g in zip(unique, found, strict=True)}
        snapshot = self._snapshot()
        for name, tensor in wanted:
            gradient = by_id[id(tensor)]
            snapshot.add(f"gradient of {name}", gradient)
            if id(tensor) in second:
                snapshot.facts[f"gradient of the gradient of {name}.bits"] = second[id(tensor)]
        for name, fact in snapshot.facts.items():
            if not name.endswith((".memory", ".layout")):
                self.trace.facts[f"{path}.{name}"] = fact

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


def _second(
    found: tuple[torch.Tensor | None, ...], wanted: list[torch.Tensor], generator: torch.Generator
) -> dict[int, torch.Tensor]:
    """Gradients of a random weighing of the gradients, by the id of the tensor; none where that is not possible.

    A gradient that is not there counts as zeros: which of the two it is follows from how autograd walked the graph.
    """
    outputs = [g for g in found if g is not None and g.requires_grad]
    weights = [_weights(g, generator) for g in outputs]
    if not outputs:
        return {id(t): torch.zeros_like(t) for t in wanted}
    try:
        second: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            outputs, wanted, weights, retain_graph=True, allow_unused=True
        )
    except RuntimeError:
        return {}
    return {id(t): torch.zeros_like(t) if g is None else g.detach() for t, g in zip(wanted, second, strict=True)}


def _weights(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    drawn = torch.rand(tensor.shape, generator=generator, dtype=torch.float64) + 0.5
    return drawn.to(device=tensor.device, dtype=tensor.dtype)


def _exhaust(returned: Any) -> Any:
    """What a returned generator yields, so that its body runs; anything else as it is."""
    if isinstance(returned, (types.GeneratorType, map, filter, zip)):
        return [item for item, _ in zip(returned, range(_MAX_YIELDED), strict=False)]
    return returned


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
    """Raise OutOfTime in the block once it has run for `limit_s` seconds, and again every second after that."""

    def ring(*_: object) -> None:
        raise OutOfTime

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit_s, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
