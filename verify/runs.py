"""Runs one of the texts on a draw, eagerly or compiled, each time in a freshly loaded module."""

from __future__ import annotations

import contextlib
import io
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch._functorch.config

from .ambient import restored
from .arms import Arms
from .compare import identical
from .draws import Draw
from .dynamo import Meter, user_compiles
from .observe import BetweenError, Call, Observer, Trace, alarm
from .snapshot import Snapshot
from .targets import FoundRecipe, Place, Recipe, Target, seed_everything
from .verdict import Request

Function = Callable[..., Any]
# The usual partitioner of `aot_eager` imports all of inductor, to choose what is kept for the backward pass.
_LIGHTER = {"aot_eager": "aot_eager_default_partitioner"}


class Runner:
    """The two texts of a request and how to run them.

    Attributes:
        old: the original.
        new: the rewrite.
        arms: the request's conditions, counted in every eager run of the original.
        recipe: how the callable and the calls are made.
        plain_old: the original without counters.
    """

    def __init__(self, request: Request, place: Place, recipe: Recipe | FoundRecipe | None = None) -> None:
        self.arms = Arms(request.old, request.conditions)
        tree, extra = self.arms.instrumented() or (None, None)
        self.old = Target(request.old, place, "old", tree, extra)
        self.new = Target(request.new, place, "new")
        self.plain_old = Target(request.old, place, "old")
        self.recipe = recipe or Recipe(request.factory or "", request.inputs or "")
        self._seed = request.seed
        self._own_inputs = True

    def eager(self, target: Target, draw: Draw, limit_s: float) -> Trace:
        """Run a draw eagerly, whatever the text itself compiles.

        Raises:
            TargetError: the text cannot be loaded or built from.
            InapplicableError: the draw does not fit.
            OutOfMemoryError: the memory limit was met.
        """
        with user_compiles(None), self._built(target) as (module, function, given):
            function = draw.prepare(function)
            observer = Observer(target, module, function, limit_s)
            seed_everything(self._seed + 2)
            with draw.context():
                return observer.run(draw.sequence(given, function))

    def bare(self, target: Target, draw: Draw, limit_s: float) -> None:
        """Run a draw eagerly without observing anything; a call that raises ends it.

        Raises:
            TargetError: the text cannot be loaded or built from.
            InapplicableError: the draw does not fit.
            OutOfTime: a call ran past the limit.
        """
        with user_compiles(None), self._built(target) as (_, function, given), muted():
            function = draw.prepare(function)
            seed_everything(self._seed + 2)
            with draw.context(), contextlib.suppress(BetweenError):
                for args, kwargs in draw.sequence(given, function):
                    with alarm(limit_s), contextlib.suppress(Exception):
                        function(*args, **kwargs)

    def uninitialised(self, draw: Draw, trace: Trace, limit_s: float) -> frozenset[str]:
        """The facts of the original that rest on memory nobody wrote, given a trace of it on the same draw.

        Such memory often holds the same bytes twice in a row, so that two runs agree by chance.
        """
        torch.use_deterministic_algorithms(True, warn_only=True)  # fills fresh memory with NaN and extreme numbers
        try:
            filled = self.eager(self.old, draw, limit_s)
        finally:
            torch.use_deterministic_algorithms(False)
        return frozenset(
            path
            for path, fact in trace.facts.items()
            if isinstance(fact, torch.Tensor) and _shows_filling(fact, filled.facts.get(path))
        )

    def compiled(self, target: Target, draw: Draw, limit_s: float, backend: str | None = None) -> tuple[Trace, Meter]:
        """Run a draw compiled: with the counting backend, or with a named one (then the meter counts no graphs)."""
        plain = self.plain_old if target is self.old else target
        trace, meter, reached = self._compiled(plain, draw, limit_s, backend, respect_user=True)
        if not reached:
            trace, meter, _ = self._compiled(plain, draw, limit_s, backend, respect_user=False)
        return trace, meter

    def _compiled(
        self, target: Target, draw: Draw, limit_s: float, backend: str | None, respect_user: bool
    ) -> tuple[Trace, Meter, bool]:
        meter = Meter(target.canonical)
        with (
            user_compiles(_LIGHTER.get(backend or "", backend) or meter.backend) as asked,
            self._built(target) as (module, function, given),
        ):
            chosen_by_user = bool(asked) and respect_user
            entry = function if chosen_by_user else torch.compile(function)
            observer = Observer(target, module, function, limit_s)
            seed_everything(self._seed + 2)
            # Gradients are asked for more than once (`retain_graph`), which donated buffers do not allow.
            with meter.listening(), torch._functorch.config.patch(donated_buffer=False):
                trace = observer.run(draw.sequence(given, function), entry)
            if backend is None:
                again = self.recipe.calls(target, module)
                meter.profiled(lambda: _quietly(entry, again), len(again))
        return trace, meter, bool(meter.frames or meter.events or not chosen_by_user)

    def sample(self) -> tuple[Function, list[Call]]:
        """A callable of the original and the given calls, to look at (they are not run)."""
        with user_compiles(None), self._built(self.plain_old) as (_, function, given):
            return function, given

    def check_inputs(self) -> None:
        """Decide which text makes the calls for the rewrite: its own inputs function, where it makes the same ones."""
        self._own_inputs = True
        made = []
        for target in (self.plain_old, self.new):
            with user_compiles(None), self._built(target) as (_, _, given):
                snapshot = Snapshot(target.canonical)
                snapshot.add("given", given)
                made.append(snapshot.facts)
        self._own_inputs = made[0].keys() == made[1].keys() and all(_equal(v, made[1][k]) for k, v in made[0].items())

    @contextlib.contextmanager
    def ready(self, target: Target) -> Iterator[tuple[types.ModuleType, Function, Callable[[], list[Call]]]]:
        """A module with a callable, and a maker of fresh calls for it.

        Raises:
            TargetError: the text cannot be loaded or built from.
        """
        with restored():
            module = target.load()
            maker, maker_module = target, module
            if target is self.new and not self._own_inputs:
                maker, maker_module = self.plain_old, self.plain_old.load()

            def calls() -> list[Call]:
                with muted():
                    seed_everything(self._seed + 1)
                    return self.recipe.calls(maker, maker_module)

            try:
                with muted():
                    seed_everything(self._seed)
                    function = self.recipe.build(target, module)
                yield module, function, calls
            finally:
                target.unload(module)
                maker.unload(maker_module)

    @contextlib.contextmanager
    def _built(self, target: Target) -> Iterator[tuple[types.ModuleType, Function, list[Call]]]:
        """A module with a callable and the calls for it."""
        with self.ready(target) as (module, function, calls):
            yield module, function, calls()


def _quietly(function: Function, calls: list[Call]) -> None:
    with muted():
        for args, kwargs in calls:
            with contextlib.suppress(Exception):
                function(*args, **kwargs)


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Drop what is printed in the block."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _shows_filling(usual: torch.Tensor, filled: Any) -> bool:
    if not isinstance(filled, torch.Tensor) or filled.shape != usual.shape or filled.dtype != usual.dtype:
        return False
    if filled.is_floating_point() or filled.is_complex():
        return bool((filled.isnan() & ~usual.isnan()).any())
    extreme = torch.iinfo(filled.dtype).max if filled.dtype != torch.bool else True
    return bool(((filled == extreme) & (usual != extreme)).any())


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
        return old.shape == new.shape and old.dtype == new.dtype and identical(old, new)
    return bool(type(old) is type(new) and (old == new or repr(old) == repr(new)))
