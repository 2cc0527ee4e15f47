"""Which variations of the given calls are tried: the systematic ones first, then random combinations of them."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from torch import nn

from .changes import leaves
from .draws import CallDraw, Change, Draw
from .generation import run_each
from .menu import Constants, changes_of, kind_of
from .observe import Call
from .snapshot import attributes
from .targets import owner

GRADIENTS = Change("grad", (), True)
_MAX_SIZED = 8
_MAX_RESIZED = 3
_IN_EVERY_CALL = (Change("cast", (), "bfloat16"), Change("cast", (), "float64"), GRADIENTS)
_OF_VALUES = ("fill", "place", "scale", "halves", "values", "round")
_MAX_CONSTANTS = 8
_MAX_SHAPES = 4
_MAX_BUMPED = 6


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What can be changed in each given call.

    Attributes:
        changes: per given call, the single changes in the order in which they are tried.
        representatives: the given calls that differ in structure, shapes or dtypes.
        modes: the modes that make sense for the callable.
        keeps_state: True where a call may change what a later one does.
        with_gradients: True where single changes of values are to be seen with gradients flowing.
    """

    changes: tuple[tuple[Change, ...], ...]
    representatives: tuple[int, ...]
    modes: tuple[tuple[str, ...], ...]
    keeps_state: bool
    with_gradients: bool = False

    @classmethod
    def of(cls, text: str, function: Callable[..., Any], calls: list[Call]) -> Catalogue:
        """The catalogue for a callable built from `text` and the calls given for it."""
        compared = compared_constants(text)
        numbers = dict.fromkeys((*compared.numbers, *state_numbers(owner(function))))
        constants = Constants(tuple(numbers), compared.texts)
        changes = tuple(tuple(changes_of(index, calls, function, constants)) for index in range(len(calls)))
        seen: dict[str, int] = {}
        for index, call in enumerate(calls):
            seen.setdefault(_signature(call), index)
        return cls(changes, tuple(seen.values())[:_MAX_SHAPES], _modes(function), not inspect.isfunction(function))

    def systematic(self, limit: int) -> Iterator[Draw]:
        """Each mode, then each single change of each representative call, in turn; at most `limit`."""
        count = len(self.changes)
        everything = Draw.given(count).calls
        first = [
            Draw(everything, verbose=True),
            Draw(everything, grad="off"),
            *(Draw(everything, modes=modes) for modes in self.modes),
            Draw(everything, reuse=True),
            Draw(everything[::-1]),
            Draw(everything + everything),
            *(Draw((call,)) for call in everything[1:_MAX_SHAPES]),
            *(Draw(tuple(CallDraw(call.base, (change,)) for call in everything)) for change in self._on_every_call()),
            Draw(everything, grad="inference"),
            Draw(everything, grad="autocast"),
            *self._in_the_middle(everything),
            *(
                [Draw(everything + everything, between=what) for what in ("step", "reload")]
                if ("copied",) in self.modes and len(self.modes) > 2
                else []
            ),
            *([Draw(everything + everything, between="copy")] if ("copied",) in self.modes else []),
            *(
                [Draw(everything + everything, switch=True)]
                if ("eval",) in self.modes or ("train",) in self.modes
                else []
            ),
        ]
        rows = [[self._single(base, change) for change in self.changes[base]] for base in self.representatives]
        interleaved = (draw for row in itertools.zip_longest(*rows) for draw in row if draw is not None)
        return itertools.islice(itertools.chain(first, interleaved), limit)

    def _in_the_middle(self, everything: tuple[CallDraw, ...]) -> Iterator[Draw]:
        """The calls under another mode or with other sizes, between the same calls as they are."""
        for mode in ("off", "inference", "autocast"):
            inside = tuple(replace(call, mode=mode) for call in everything)
            yield Draw((*inside, *everything, *inside))
        if self.keeps_state and self.changes:
            sized = [change for change in self.changes[0] if change.kind == "resize" and change.value[1] > 1]
            for change in itertools.islice(sized, _MAX_RESIZED):
                inside = tuple(CallDraw(call.base, (change,)) for call in everything)
                yield Draw((*everything, *inside, *everything))

    def _on_every_call(self) -> Iterator[Change]:
        """Changes made in all given calls at once: an arm that only some of them take is to be seen so too."""
        yield from _IN_EVERY_CALL
        if len(self.changes) > 1:
            sized = (c for c in self.changes[0] if c.kind == "items" or (c.kind == "resize" and c.value[2] == "first"))
            yield from itertools.islice(sized, _MAX_SIZED)

    def _single(self, base: int, change: Change) -> Draw:
        after = (CallDraw(base),) if self.keeps_state else ()
        asking = (GRADIENTS,) if self.with_gradients and change.kind in _OF_VALUES else ()
        return Draw((CallDraw(base, (change, *asking)), *after))

    def random(self, run: Callable[[Draw], bool], examples: int, number: int) -> None:
        """Call `run` on up to `examples` random combinations, the same ones each time, until it returns False."""
        run_each(self.draws(), run, examples, number)

    def draws(self) -> st.SearchStrategy[Draw]:
        """Sequences of up to four calls with up to three changes each, under any mode."""
        count = len(self.changes)

        @st.composite
        def call(draw: st.DrawFn) -> CallDraw:
            base = draw(st.integers(0, count - 1))
            mode = draw(st.sampled_from(("on", "on", "on", "on", "off", "inference", "autocast")))
            if not self.changes[base]:
                return CallDraw(base, mode=mode)
            return CallDraw(base, tuple(draw(st.lists(st.sampled_from(self.changes[base]), max_size=3))), mode)

        return st.builds(
            Draw,
            calls=st.lists(call(), min_size=1, max_size=4 if self.keeps_state else 2).map(tuple),
            modes=st.sampled_from(((), *self.modes)),
            grad=st.sampled_from(("on", "on", "on", "off", "autocast")),
            reuse=st.booleans(),
            switch=st.booleans(),
            verbose=st.booleans(),
            between=st.sampled_from(("", "", "step", "reload", "copy")),
        )


def compared_constants(text: str) -> Constants:
    """The numbers (nearest to zero first) and the strings that the text compares something with."""
    numbers: set[float | int] = set()
    texts: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        for part in (node.left, *node.comparators) if isinstance(node, ast.Compare) else ():
            value = _literal(part)
            if isinstance(value, str):
                texts.add(value)
            elif value is not None:
                numbers.add(value)
    return Constants(_nearest(numbers), tuple(sorted(texts)[:_MAX_CONSTANTS]))


def state_numbers(root: Any) -> tuple[float | int, ...]:
    """The plain numbers that an object, or a module with its parts, holds as attributes."""
    parts = list(root.modules()) if isinstance(root, nn.Module) else [root]
    own = [part for part in parts if not type(part).__module__.startswith("torch.")]
    found = {v for part in own for _, v in attributes(part) if type(v) in (int, float) and math.isfinite(v)}
    return _nearest(found)


def _nearest(numbers: set[float | int]) -> tuple[float | int, ...]:
    return tuple(sorted(numbers, key=lambda v: (abs(v), v))[:_MAX_CONSTANTS])


def _literal(node: ast.expr) -> float | int | str | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, str):
        return value
    return sign * value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _modes(function: Callable[..., Any]) -> tuple[tuple[str, ...], ...]:
    root = owner(function)
    if inspect.isfunction(root):
        return ()
    numbers = [name for name, value in attributes(root) if type(value) in (int, float, bool) and name != "training"]
    bumped = [(f"bump {name}",) for name in numbers[:_MAX_BUMPED]]
    if not isinstance(root, nn.Module):
        return (("copied",), *bumped)
    modes = [("eval",) if root.training else ("train",), ("copied",)]
    if any(True for _ in root.parameters()):
        modes += [("frozen",), ("float64",), ("bfloat16",), ("zeroed",), ("large",)]
    if any(isinstance(part, nn.ModuleList) for part in root.modules()):
        modes.append(("longer",))
    return (*modes, *bumped)


def _signature(call: Call) -> str:
    args, kwargs = call
    return repr([(path, kind_of(leaf)) for path, leaf in leaves({"args": args, "kwargs": kwargs})])
