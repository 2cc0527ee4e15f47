"""Which changes of a failing call are worth trying: those that the error speaks of first."""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from .guesses import STANDARD
from .specs import FALSE, NONE, TRUE, ManySpec, NamedSpec, PlainSpec, Spec, TensorSpec, plain, tensors, variants

if TYPE_CHECKING:
    from .explore import Attempt, Outcome, Plan

Key = tuple[str, str]

_USUAL_SIZES = (1, 2, 3, 4, 5, 6, 8)
_MAX_SIZES = 10


class Repair:
    """Changes of an attempt.

    Args:
        plan: what is called.
        attempt: the arguments that failed.
        outcome: how they failed.
        sizes: sizes that the built object speaks of.
        values: values that its tensors hold.
        only: the keys of the arguments that may be changed; None for all.
    """

    def __init__(
        self,
        plan: Plan,
        attempt: Attempt,
        outcome: Outcome,
        sizes: frozenset[int],
        values: frozenset[float],
        only: Container[Key] | None = None,
    ) -> None:
        self._plan, self._attempt = plan, attempt
        self._text = str(outcome.error)
        self._kind = type(outcome.error).__name__
        self._stage = outcome.stage
        self._only = only
        self._known, self._values = sizes, sorted(values)
        self._chosen = outcome.deliberate or self._kind in ("KeyError", "IndexError")
        mentioned = [int(n) for n in re.findall(r"(?<![\w.])\d{1,2}(?![\w.])", self._text)]
        self._mentioned = [n for n in dict.fromkeys(mentioned) if 0 < n <= 64]

    def moves(self) -> Iterator[Attempt]:
        """All changes, the most promising first."""
        seen = {self._attempt}
        for move in chain(self._by_error(), self._by_guess(), self._by_shape(), self._by_kind()):
            if move not in seen:
                seen.add(move)
                yield move

    def _keys(self) -> list[Key]:
        keys = [key for key in self._attempt.keys if self._may_change(key)]
        # What the message names is changed first.
        return sorted(keys, key=lambda key: not re.search(rf"\b{re.escape(key[1])}\b", self._text))

    def _may_change(self, key: Key) -> bool:
        return (self._stage == "call" or key[0] == "build") and (self._only is None or key in self._only)

    def _by_error(self) -> Iterator[Attempt]:
        text = self._text
        if self._chosen:
            yield from self._on_tensors(lambda t: _held(t, self._values))
        if "ambiguous" in text or "converted to Scalar" in text or "only one element" in text or "0-dim" in text:
            yield from self._on_tensors(_fewer_dimensions)
        if (
            "must be tensors used as indices" in text
            or "used as indices" in text
            or "Expected tensor for argument" in text
        ):
            yield from self._on_tensors(_as_integers)
        if "Long" in text or "int64" in text or "integer" in text or "index" in text:
            yield from self._on_tensors(_as_integers)
        if "out of bounds" in text or "out of range" in text or "bincount" in text or "negative" in text:
            yield from self._on_tensors(_nearer)
        if "bool" in text or "Bool" in text or "mask" in text:
            yield from self._on_tensors(_as_booleans)
        if "Float" in text or "float" in text or "floating" in text or "dtype" in text:
            yield from self._on_tensors(_as_floats)
        if re.search(
            r"has no attribute '(\w+)'|is not (iterable|subscriptable|callable)|no len|must be|unsupported", text
        ):
            yield from self._by_kind()
        yield from self._by_sizes()

    def _by_sizes(self) -> Iterator[Attempt]:
        """Sizes that the message names, in the place of others that it names, in one argument or in all."""
        sizes = [*self._mentioned, *sorted(self._known)][:_MAX_SIZES]
        for old in self._mentioned:
            for new in dict.fromkeys(sizes):
                if old != new:
                    yield from self._on_tensors(functools.partial(_resized, old=old, new=new))
                    if self._only is None:
                        yield self._everywhere(old, new)
        for new in dict.fromkeys((*sizes,)):
            yield from self._on_tensors(functools.partial(_last, new=new))

    def _by_guess(self) -> Iterator[Attempt]:
        rows: list[Iterable[Attempt]] = []
        guesses = [
            *((("call", g.name), g) for g in self._plan.calling),
            *((("build", g.name), g) for g in self._plan.building),
        ]
        for key, guess in guesses:
            if not self._may_change(key):
                continue
            held = self._attempt.spec(key)
            if held is not None or key[0] == "call":
                rows.append(self._attempt.with_each(key, [option for option in guess.options if option != held]))
        yield from _in_turn(rows)

    def _by_shape(self) -> Iterator[Attempt]:
        keys = self._keys()
        rows: list[Iterable[Attempt]] = []
        for key in keys:
            spec = self._attempt.spec(key)
            others = [self._attempt.spec(other) for other in keys if other != key]
            shapes = [t.shape for other in others if other is not None for t in tensors(other)]
            wanted = list(dict.fromkeys((*shapes, *STANDARD.values())))
            if spec is not None:
                change = functools.partial(_shaped, shapes=wanted)
                rows.append(self._attempt.with_each(key, variants(spec, change)))
        yield from _in_turn(rows)
        sizes = list(dict.fromkeys((*self._mentioned, *sorted(self._known), *_USUAL_SIZES)))
        yield from self._on_tensors(lambda t: _any_size(t, sizes))
        yield from self._on_tensors(_as_integers)
        yield from self._on_tensors(_positive)
        yield from self._on_tensors(_nearer)

    def _by_kind(self) -> Iterator[Attempt]:
        rows: list[Iterable[Attempt]] = []
        for key in self._keys():
            spec = self._attempt.spec(key)
            rows.append(self._attempt.with_each(key, _other_kinds(spec)))
        yield from _in_turn(rows)

    def _on_tensors(self, change: object) -> Iterator[Attempt]:
        rows: list[Iterable[Attempt]] = []
        for key in self._keys():
            spec = self._attempt.spec(key)
            if spec is not None:
                rows.append(self._attempt.with_each(key, variants(spec, change)))
        yield from _in_turn(rows)

    def _everywhere(self, old: int, new: int) -> Attempt:
        attempt = self._attempt
        for key in attempt.keys:
            spec = attempt.spec(key)
            if spec is not None:
                attempt = attempt.with_spec(key, _renamed(spec, old, new))
        return attempt


def _in_turn(rows: list[Iterable[Attempt]]) -> Iterator[Attempt]:
    return (item for turn in zip_longest(*rows) for item in turn if item is not None)


def _fewer_dimensions(spec: TensorSpec) -> Iterator[Spec]:
    if spec.shape:
        yield replace(spec, shape=())
        yield replace(spec, shape=(1,) * len(spec.shape))
        yield replace(spec, shape=spec.shape[1:])
        yield replace(spec, shape=spec.shape[:-1])


def _as_integers(spec: TensorSpec) -> Iterator[Spec]:
    if spec.dtype != "int64":
        yield replace(spec, dtype="int64", draw="normal", scale=3.0, shift=0.0)


def _as_booleans(spec: TensorSpec) -> Iterator[Spec]:
    if spec.dtype != "bool":
        yield replace(spec, dtype="bool", draw="normal", scale=0.5, shift=0.0)


def _as_floats(spec: TensorSpec) -> Iterator[Spec]:
    if spec.dtype != "float32":
        yield replace(spec, dtype="float32", draw="normal", scale=1.0, shift=0.0)


def _nearer(spec: TensorSpec) -> Iterator[Spec]:
    """Smaller integers; floats that are none of them negative."""
    if spec.dtype == "int64":
        yield from (replace(spec, scale=float(high)) for high in (2, 1) if high < spec.scale)
    yield from _positive(spec)


def _positive(spec: TensorSpec) -> Iterator[Spec]:
    if spec.is_float:
        yield replace(spec, draw="uniform", shift=0.1)
        yield replace(spec, draw="uniform", scale=9.0, shift=5.0)
        yield replace(spec, draw="constant", shift=1.0)
    elif spec.dtype == "int64":
        yield replace(spec, draw="constant", shift=0.0)
        yield replace(spec, shift=1.0)


def _held(spec: TensorSpec, values: list[float]) -> Iterator[Spec]:
    """Filled with a value that the object holds itself."""
    if spec.dtype != "bool":
        yield from (replace(spec, draw="constant", shift=value) for value in values)
    yield from _positive(spec)


def _resized(spec: TensorSpec, old: int, new: int) -> Iterator[Spec]:
    for index, size in reversed(list(enumerate(spec.shape))):
        if size == old:
            yield replace(spec, shape=(*spec.shape[:index], new, *spec.shape[index + 1 :]))


def _last(spec: TensorSpec, new: int) -> Iterator[Spec]:
    if spec.shape and spec.shape[-1] != new:
        yield replace(spec, shape=(*spec.shape[:-1], new))
    if spec.shape and spec.shape[0] != new:
        yield replace(spec, shape=(new, *spec.shape[1:]))
    if len(spec.shape) > 2 and spec.shape[1] != new:
        yield replace(spec, shape=(spec.shape[0], new, *spec.shape[2:]))


def _any_size(spec: TensorSpec, sizes: list[int]) -> Iterator[Spec]:
    for size in sizes:
        for index in reversed(range(len(spec.shape))):
            if spec.shape[index] != size:
                yield replace(spec, shape=(*spec.shape[:index], size, *spec.shape[index + 1 :]))


def _shaped(spec: TensorSpec, shapes: list[tuple[int, ...]]) -> Iterator[Spec]:
    yield from (replace(spec, shape=shape) for shape in shapes if shape != spec.shape)
    if len(spec.shape) < 5:
        yield replace(spec, shape=(2, *spec.shape))
    if len(spec.shape) >= 2:
        yield replace(spec, shape=(*spec.shape[:-2], spec.shape[-1], spec.shape[-1]))


def _renamed(spec: Spec, old: int, new: int) -> Spec:
    if isinstance(spec, TensorSpec):
        return replace(spec, shape=tuple(new if size == old else size for size in spec.shape))
    if isinstance(spec, ManySpec):
        return replace(spec, items=tuple(_renamed(item, old, new) for item in spec.items))
    if isinstance(spec, NamedSpec):
        return replace(spec, items=tuple((name, _renamed(item, old, new)) for name, item in spec.items))
    return plain(new) if spec == plain(old) else spec


def _other_kinds(spec: Spec | None) -> Iterator[Spec]:
    """Arguments of every other sort."""
    held = next(iter(tensors(spec)), None) if spec is not None else None
    one = held or TensorSpec(STANDARD[2])
    if isinstance(spec, TensorSpec):
        yield ManySpec((spec, replace(spec, seed=spec.seed + 1)))
    yield from (one, TensorSpec(()), TensorSpec((3,)), TensorSpec((3, 4)), TensorSpec((3, 5, 4)))
    yield from (
        TensorSpec((3,), "int64", scale=3.0),
        TensorSpec((3, 5), "int64", scale=3.0),
        TensorSpec((), "int64", scale=3.0),
    )
    yield from (plain(2), plain(0.5), plain([2, 3]), plain([0.5, 0.25]), plain((3, 4)), TRUE, FALSE, NONE)
    yield from (TensorSpec((3,), "bool", scale=0.5), ManySpec((one, one), True), NamedSpec("", (("a", one),)))
    yield from (plain("sum"), PlainSpec("torch.relu"), PlainSpec("torch.nn.Linear(4, 4)"), PlainSpec("torch.float32"))
