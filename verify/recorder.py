"""Records what Dynamo makes of a running program, from inside of it, and leaves the program as it is.

Three things are listened to: the structured trace (what was compiled, broken, skipped, recompiled), the beginning of
each call of compiled code, and each use of an entry of the cache. The last has no hook of its own: a few instructions
at the head of an entry's bytecode call a function that counts. Nothing here may raise into the program, and nothing
that Dynamo would trace may run while its frame evaluation is on.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import logging
import os
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import torch

from .describe import Described, Describer, parameters
from .journal import CALL, ENTRIES, LINE, SERVED, STEPS, Journal, step
from .structured import LOGGER, Began, Broke, Captured, Event, Failed, Finished, Key, Listener
from .watched import actual_values, frame_compiling

# Calls of an entry whose arguments are looked at: the first ones, then ever fewer.
_LOOKED_AT = frozenset(range(1, 33)) | {n << k for k in range(40) for n in range(16, 32)}
_ROOTS = 1000


class Recorder:
    """Writes the journal of this process.

    Args:
        folder: where the journal goes.
        contents: whether the elements of tensors are recorded too.
    """

    def __init__(self, folder: str, contents: bool) -> None:
        self._folder, self._contents = folder, contents
        self._lock = threading.RLock()
        self._journal: Journal | None = None
        # What a forked child must say again, as later lines refer to it.
        self._definitions: list[tuple[str, dict[str, Any]]] = []
        # By identity, as Dynamo has it: code of the same text in two files is equal.
        self._codes: dict[int, tuple[types.CodeType, int]] = {}
        self._keys: dict[Key, int] = {}
        self._epoch = 0
        self._entries = itertools.count(1)
        self._roots: dict[Any, int] = {}
        self._threads: dict[int, int] = {}
        self._last: dict[int, Described] = {}
        self._started = time.time()
        self.describer = Describer(contents, lambda index, what: self._define("object", index=index, **what))

    def start(self) -> None:
        """Listen from here on, in this process and those that it forks."""
        from torch._dynamo import convert_frame, eval_frame

        logger = logging.getLogger(LOGGER)
        logger.addHandler(Listener(self._guarded(self._hear)))
        logger.setLevel(logging.DEBUG)
        convert_frame.register_bytecode_hook(self._guarded(self._compiled))
        from_stance = eval_frame._callback_from_stance

        @functools.wraps(from_stance)
        def begins(callback: Any) -> Any:
            if callback is not None and callback is not False:
                called(callback)
            return from_stance(callback)

        called = self._guarded(self._called)
        eval_frame._callback_from_stance = begins
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self._guarded(self._ends))

    def noting(self) -> Callable[..., None]:
        """A hook for the registration of parts of modules, that notes what the modules are constructed from."""

        def note(module: torch.nn.Module, _name: str, _part: object) -> None:
            with _aside():
                describer.note_construction(module)

        describer = self.describer
        return self._guarded(note)

    def _guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function without the exceptions that it raises: the program must not see them."""

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            try:
                return function(*args)
            except Exception as error:
                if self._journal is not None:
                    self._journal.line("trouble", where=function.__name__, error=repr(error))
                return None

        return call

    def _opened(self) -> Journal:
        with self._lock:
            if self._journal is None:
                self._journal = Journal(self._folder)
                self._journal.line(
                    "run",
                    command=list(getattr(sys, "orig_argv", sys.argv)),
                    pid=os.getpid(),
                    parent=os.getppid(),
                    rank=_rank(),
                    started=self._started,
                    torch=torch.__version__,
                    python=sys.version.split()[0],
                )
                for what, content in self._definitions:
                    self._journal.line(what, **content)
            return self._journal

    def _define(self, what: str, **content: Any) -> None:
        with self._lock:
            self._definitions.append((what, content))
            if self._journal is not None:
                self._journal.line(what, **content)

    def _say(self, what: str, **content: Any) -> None:
        """A line, and its place among the steps."""
        journal = self._opened()
        number = journal.line(what, **content)
        self._step(journal, LINE, number)

    def _step(self, journal: Journal, what: int, value: int) -> None:
        index = journal.next_step()
        if index < STEPS:
            thread = threading.get_ident()
            journal.steps[index] = step(self._threads.setdefault(thread, len(self._threads)), what, value)

    def _hear(self, event: Event) -> None:
        key = event.key
        if key[0] is None:
            return
        if isinstance(event, Began):
            if key[1] == 0 and key in self._keys:
                self._epoch += 1
                self._keys.clear()
            self._frame(key)
            if key[1] == 0:
                self._begun(key)
            return
        told = {"epoch": self._epoch, "key": key, "frame": self._frame(key)}
        if isinstance(event, Broke):
            self._say("broke", **told, text=event.text)
        elif isinstance(event, Failed):
            self._say("failed", **told, guards=actual_values(event.guards))
        elif isinstance(event, Captured):
            self._opened()
            self._define("graph", **told, text=event.text)
        elif isinstance(event, Finished):
            wanted = {name: event.metrics.get(name) for name in _METRICS}
            self._say("finished", **told, failure=event.failure, limited=event.limited, metrics=wanted)

    def _begun(self, key: Key) -> None:
        """The first call of a frame, which may be the only one that is seen: it may be given up."""
        compiling = frame_compiling()
        if compiling is not None:
            code, values = compiling.f_locals["code"], compiling.f_locals.get("locals") or {}
            self._sample(0, self._frame(key), code, tuple(values.get(name) for name in parameters(code)))

    def _frame(self, key: Key) -> int:
        """The number of the frame that is being compiled; -1 where it cannot be seen from here."""
        if key not in self._keys:
            compiling = frame_compiling()
            if compiling is None:
                return -1
            self._keys[key] = self._code(compiling.f_locals["code"])
        return self._keys[key]

    def _code(self, code: types.CodeType) -> int:
        with self._lock:
            held = self._codes.get(id(code))
            if held is not None:
                return held[1]
            original, line = _resumed(code)
            parent = self._code(original) if original is not None else -1
            number = len(self._codes)
            self._codes[id(code)] = (code, number)
            self._opened()
            shown = original or code
            self._define(
                "frame",
                path=shown.co_filename,
                name=getattr(shown, "co_qualname", shown.co_name),
                line=shown.co_firstlineno,
                parent=parent,
                resumes_at=line,
            )
            return number

    def _compiled(self, code: types.CodeType, new: types.CodeType) -> types.CodeType | None:
        """A bytecode hook of Dynamo's: the entry's code with the prologue; None to leave it as it is."""
        # Loaded here, as it loads Dynamo, which is not to be loaded before the program does so itself.
        from .injected import with_prologue

        frame = self._code(code)
        compile_id = torch._guards.CompileContext.current_compile_id()
        number = next(self._entries)
        key = (getattr(compile_id, "frame_id", None), getattr(compile_id, "frame_compile_id", None))
        self._define("entry", index=number, frame=frame, key=key, epoch=self._epoch, compile_id=str(compile_id))
        if number >= ENTRIES or getattr(torch._dynamo.config, "caching_precompile", False):
            return None
        return with_prologue(new, parameters(code), self._server(number, frame, code))

    def _server(self, number: int, frame: int, code: types.CodeType) -> Callable[[tuple[Any, ...]], None]:
        """What an entry calls each time that it serves."""
        set_eval_frame, skip_code = (_of_eval_frame(name) for name in ("set_eval_frame", "skip_code"))

        tick = itertools.count(1).__next__
        look = self._guarded(functools.partial(self._sample, number, frame, code))
        looked_at, steps_at = _LOOKED_AT, SERVED << 32 | number
        thread, threads = threading.get_ident, self._threads
        recorder = self

        # Frame evaluation is on in here: nothing but C functions may be called while it is.
        def serve(arguments: tuple[Any, ...]) -> None:
            journal = recorder._journal
            if journal is None:
                return
            count = tick()
            journal.totals[number] += 1
            index = journal.next_step()
            if index < STEPS:
                journal.steps[index] = threads.setdefault(thread(), len(threads)) << 40 | steps_at
            if count in looked_at:
                prior = set_eval_frame(None)
                try:
                    look(arguments)
                finally:
                    set_eval_frame(prior)

        skip_code(serve.__code__)
        return serve

    def _sample(self, number: int, frame: int, code: types.CodeType, arguments: tuple[Any, ...]) -> None:
        with _aside():
            described = self.describer.arguments(code, arguments)
        owner = arguments[0] if arguments and isinstance(arguments[0], torch.nn.Module) else None
        described.update(
            entry=number,
            frame=frame,
            gradients=torch.is_grad_enabled(),
            training=owner.training if owner is not None else None,
        )
        with self._lock:
            if self._last.get(number) == described:
                self._say("again", entry=number)
            else:
                self._last[number] = described
                self._say("sample", **described)

    def _called(self, callback: Any) -> None:
        """A call of compiled code begins; frame evaluation is off."""
        frame = sys._getframe(3)
        if frame.f_code.co_name not in ("compile_wrapper", "_fn"):
            return
        root = self._roots.get(callback)
        if root is None:
            root = self._root(callback, frame.f_locals.get("fn"))
        journal = self._journal or self._opened()
        journal.totals[0] += 1
        self._step(journal, CALL, root)

    def _root(self, callback: Any, function: Any) -> int:
        with self._lock:
            if len(self._roots) >= _ROOTS:
                return _ROOTS
            owner = getattr(function, "__self__", None)
            code = getattr(function, "__code__", None)
            if isinstance(owner, torch.nn.Module):
                name = type(owner).__qualname__
            else:
                name = str(getattr(function, "__qualname__", ""))
            number = self._roots[callback] = len(self._roots)
            self._opened()
            self._define("root", index=number, name=name, path=getattr(code, "co_filename", ""))
            return number

    def _forked(self) -> None:
        """In a forked child: a journal of its own, which starts with everything that is defined so far."""
        if self._journal is not None:
            self._journal.close()
        self._lock = threading.RLock()
        self._journal = None
        self._last = {}
        self._started = time.time()
        if self._definitions:
            self._guarded(self._opened)()

    def _ends(self) -> None:
        if self._journal is not None:
            self._journal.line("end", at=time.time())


_METRICS = (
    "co_name",
    "co_filename",
    "co_firstlineno",
    "fail_user_frame_filename",
    "fail_user_frame_lineno",
    "entire_frame_compile_time_s",
    "backend_compile_time_s",
    "guard_count",
    "guard_latency_us",
    "graph_op_count",
)


class _Aside:
    """Nothing of the user's (modes, gradients) sees what is done in the block."""

    def __enter__(self) -> None:
        self._guards = [torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction(), torch.no_grad()]
        self._guards[2].__enter__()

    def __exit__(self, *_: object) -> None:
        self._guards[2].__exit__(None, None, None)
        self._guards.clear()


_aside = _Aside


def _of_eval_frame(name: str) -> Callable[..., Any]:
    """A function of Dynamo's core; which module has it depends on the release."""
    from torch._dynamo import eval_frame

    return getattr(eval_frame, name, None) or getattr(torch._C._dynamo.eval_frame, name)  # type: ignore[no-any-return]


def _rank() -> int | None:
    rank = os.environ.get("RANK", "")
    return int(rank) if rank.isdigit() else None


def _resumed(code: types.CodeType) -> tuple[types.CodeType | None, int]:
    """Of the code of a frame that resumes after a break: the function's own code, and the line of the break."""
    from torch._dynamo.resume_execution import ContinueExecutionCache

    held = ContinueExecutionCache.generated_code_metadata.get(code)
    return (held.code, code.co_firstlineno) if held is not None else (None, 0)


@functools.cache
def _recorder() -> Recorder:
    return Recorder(os.environ["REFACTOR_TRACE"], os.environ.get("REFACTOR_TRACE_CONTENTS") == "1")


def watch_constructions() -> None:
    """Called once `torch.nn.modules.module` is loaded: remember what modules are constructed from."""
    from torch.nn.modules import module

    note = _recorder().noting()
    module.register_module_parameter_registration_hook(note)
    module.register_module_module_registration_hook(note)
    module.register_module_buffer_registration_hook(note)


def watch_dynamo() -> None:
    """Called once `torch._dynamo` is loaded."""
    _recorder().start()
