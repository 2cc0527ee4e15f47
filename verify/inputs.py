"""Which variations of the given calls are tried: the systematic ones first, then random combinations of them."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from torch import nn

from .changes import Path, leaves
from .draws import CallDraw, Change, Draw
from .observe import Call
from .snapshot import attributes
from .targets import owner

_MAX_CONSTANTS = 8
_MAX_SHAPES = 4
_MAX_SIZE = 64
_SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-40, 3e38, -3e38)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What can be changed in each given call.

    Attributes:
        changes: per given call, the single changes in the order in which they are tried.
        representatives: the given calls that differ in structure, shapes or dtypes.
        modes: the modes that make sense for the callable.
        keeps_state: True where a call may change what a later one does.
    """

    changes: tuple[tuple[Change, ...], ...]
    representatives: tuple[int, ...]
    modes: tuple[tuple[str, ...], ...]
    keeps_state: bool

    @classmethod
    def of(cls, text: str, function: Callable[..., Any], calls: list[Call]) -> Catalogue:
        """The catalogue for a callable built from `text` and the calls given for it."""
        numbers = [*compared_constants(text), *state_numbers(owner(function))]
        numbers = list(dict.fromkeys(numbers))[: 2 * _MAX_CONSTANTS]
        defaults = [_left_out(function, call) for call in calls]
        changes = tuple(tuple(_changes(i, calls, numbers, left_out)) for i, left_out in enumerate(defaults))
        seen: dict[str, int] = {}
        for index, call in enumerate(calls):
            seen.setdefault(_signature(call), index)
        return cls(changes, tuple(seen.values())[:_MAX_SHAPES], _modes(function), not inspect.isfunction(function))

    def systematic(self, limit: int) -> Iterator[Draw]:
        """Each mode, then each single change of each representative call, in turn; at most `limit`."""
        count = len(self.changes)
        everything = Draw.given(count).calls
        first = [
            *(Draw(everything, verbose=verbose, grad=grad) for verbose, grad in ((True, "on"), (False, "off"))),
            *(Draw(everything, modes=modes) for modes in self.modes),
            Draw(everything, reuse=True),
            Draw(everything[::-1]),
            Draw(everything + everything),
            *(Draw((call,)) for call in everything[1:_MAX_SHAPES]),
            Draw(everything, grad="inference"),
        ]
        rows = [[self._single(base, change) for change in self.changes[base]] for base in self.representatives]
        interleaved = (draw for row in itertools.zip_longest(*rows) for draw in row if draw is not None)
        return itertools.islice(itertools.chain(first, interleaved), limit)

    def _single(self, base: int, change: Change) -> Draw:
        after = (CallDraw(base),) if self.keeps_state else ()
        return Draw((CallDraw(base, (change,)), *after))

    def random(self, run: Callable[[Draw], bool], examples: int, number: int) -> None:
        """Call `run` on up to `examples` random combinations, the same ones each time, until it returns False."""

        class StopError(Exception):
            """Ends the search."""

        @seed(number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(self.draws())
        def attempt(draw: Draw) -> None:
            if not run(draw):
                raise StopError

        try:
            attempt()
        except StopError:
            return

    def draws(self) -> st.SearchStrategy[Draw]:
        """Sequences of up to four calls with up to three changes each, under any mode."""
        count = len(self.changes)

        @st.composite
        def call(draw: st.DrawFn) -> CallDraw:
            base = draw(st.integers(0, count - 1))
            if not self.changes[base]:
                return CallDraw(base)
            return CallDraw(base, tuple(draw(st.lists(st.sampled_from(self.changes[base]), max_size=3))))

        return st.builds(
            Draw,
            calls=st.lists(call(), min_size=1, max_size=4 if self.keeps_state else 2).map(tuple),
            modes=st.sampled_from(((), *self.modes)),
            grad=st.sampled_from(("on", "on", "on", "off")),
            reuse=st.booleans(),
            verbose=st.booleans(),
        )


def compared_constants(text: str) -> list[float | int]:
    """The numbers that the text compares something with, nearest to zero first."""
    found: set[float | int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            for part in (node.left, *node.comparators):
                value = _literal(part)
                if value is not None:
                    found.add(value)
    return sorted(found, key=lambda v: (abs(v), v))[:_MAX_CONSTANTS]


def state_numbers(root: Any) -> list[float | int]:
    """The plain numbers that an object, or a module with its parts, holds as attributes."""
    parts = list(root.modules()) if isinstance(root, nn.Module) else [root]
    own = [part for part in parts if not type(part).__module__.startswith("torch.")]
    found = {v for part in own for _, v in attributes(part) if type(v) in (int, float) and math.isfinite(v)}
    return sorted(found, key=lambda v: (abs(v), v))[:_MAX_CONSTANTS]


def _literal(node: ast.expr) -> float | int | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    value = node.value if isinstance(node, ast.Constant) else None
    return sign * value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _left_out(function: Callable[..., Any], call: Call) -> dict[str, Any]:
    """The parameters that a call leaves at their default, with that default."""
    try:
        signature = inspect.signature(function.forward if isinstance(function, nn.Module) else function)
        bound = signature.bind_partial(*call[0], **call[1]).arguments
    except (TypeError, ValueError):
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    free = [item for item in signature.parameters.values() if item.kind in named and item.name not in bound]
    return {item.name: item.default for item in free if item.default is not inspect.Parameter.empty}


def _modes(function: Callable[..., Any]) -> tuple[tuple[str, ...], ...]:
    root = owner(function)
    if not isinstance(root, nn.Module):
        return () if inspect.isfunction(root) else (("copied",),)
    modes = [("eval",) if root.training else ("train",), ("copied",)]
    if any(True for _ in root.parameters()):
        modes += [("frozen",), ("float64",), ("bfloat16",)]
    if any(isinstance(part, nn.ModuleList) for part in root.modules()):
        modes.append(("longer",))
    return tuple(modes)


def _signature(call: Call) -> str:
    args, kwargs = call
    return repr([(path, _kind(leaf)) for path, leaf in leaves({"args": args, "kwargs": kwargs})])


def _kind(leaf: Any) -> Any:
    return (str(leaf.dtype), tuple(leaf.shape)) if isinstance(leaf, torch.Tensor) else type(leaf).__name__


def _changes(index: int, calls: list[Call], numbers: list[float | int], left_out: dict[str, Any]) -> Iterator[Change]:
    """All single changes of one call: a turn for each leaf and for the call as a whole, so that none waits long."""
    args, kwargs = calls[index]
    found = list(leaves({"args": args, "kwargs": kwargs}))
    tensors = [(path, leaf) for path, leaf in found if isinstance(leaf, torch.Tensor)]
    others = [(path, leaf) for path, leaf in found if not isinstance(leaf, torch.Tensor)]
    rows: list[Iterable[Change]] = [_whole(tensors, numbers), _defaults_set(left_out, numbers)]
    rows += [_of_tensor(path, leaf, numbers) for path, leaf in tensors]
    rows += [_of_plain(path, leaf, numbers) for path, leaf in others]
    rows += [_crossings(path, leaf, index, calls) for path, leaf in found]
    rows.append(_borrowed(index, calls))
    return (change for turn in itertools.zip_longest(*rows) for change in turn if change is not None)


def _whole(tensors: list[tuple[Path, torch.Tensor]], numbers: list[float | int]) -> Iterator[Change]:
    """Changes that touch several arguments at once."""
    leading = list(dict.fromkeys(t.shape[0] for _, t in tensors if t.dim()))
    every = list(dict.fromkeys(size for _, t in tensors for size in t.shape))
    known = [int(v) + step for v in numbers if isinstance(v, int) for step in (0, 1, -1)]
    yield from (Change("resize", (), [s, wanted, "first"]) for s in leading for wanted in (0, 1) if s != wanted)
    yield from _of_floats([t for _, t in tensors if t.is_floating_point()])
    for (path, one), (other, two) in itertools.combinations(tensors, 2):
        if one is not two and one.shape == two.shape and one.dtype == two.dtype:
            yield Change("share", path, list(other))
    for size in leading:
        wanted_sizes = dict.fromkeys((size + 1, *known, size - 1, 2 * size))
        yield from (Change("resize", (), [size, n, "first"]) for n in wanted_sizes if 1 < n <= _MAX_SIZE and n != size)
    yield from (Change("resize", (), [s, n, "every"]) for s in every for n in (1, s + 1, 0) if n != s)


def _of_floats(floats: list[torch.Tensor]) -> Iterator[Change]:
    asking = [t.requires_grad for t in floats]
    if floats:
        yield Change("grad", (), not all(asking))
        yield from (Change("cast", (), name) for name in ("bfloat16", "float16", "float64"))
    if any(asking) and not all(asking):
        yield Change("grad", (), False)


def _of_tensor(path: Path, tensor: torch.Tensor, numbers: list[float | int]) -> Iterator[Change]:
    if tensor.dtype == torch.bool:
        yield from (Change("fill", path, value) for value in (False, True))
        yield from (Change("invert", path), Change("place", path, [True, "first"]), Change("values", path, 1))
    elif tensor.is_floating_point():
        yield from _of_float(path, numbers)
    elif not tensor.is_complex():
        yield from _of_integer(path, tensor, numbers)
    if tensor.dim() >= 1:
        yield Change("layout", path, "transposed" if tensor.dim() >= 2 else "gaps")
        yield Change("list", path)
    if tensor.dim() >= 2:
        yield Change("layout", path, "gaps")


def _of_float(path: Path, numbers: list[float | int]) -> Iterator[Change]:
    yield from (Change("place", path, [value, "first"]) for value in (math.nan, math.inf))
    yield from (Change("fill", path, 0.0), Change("scale", path, -1.0), Change("values", path, 1))
    yield from (Change("fill", path, float(v)) for v in numbers if v != 0)
    yield from (Change("place", path, [math.nan, "last"]), Change("place", path, [-math.inf, "last"]))
    yield from (Change("scale", path, factor) for factor in (1e3, 1e-3))
    yield from (Change("fill", path, value) for value in (1.0, -1.0, -0.0, math.nan))
    yield Change("grad", path, True)
    yield from (Change("place", path, [float(v), "first"]) for v in numbers)
    yield from (Change("round", path), Change("values", path, 2), Change("place", path, [0.0, 3]))
    for v in numbers:
        single = torch.tensor(float(v))
        yield from (Change("fill", path, float(torch.nextafter(single, single + side))) for side in (1.0, -1.0))
    yield from (Change("place", path, [value, where]) for value in _SPECIAL for where in (5, "first"))


def _of_integer(path: Path, tensor: torch.Tensor, numbers: list[float | int]) -> Iterator[Change]:
    limits = torch.iinfo(tensor.dtype)
    low, high = (int(tensor.min()), int(tensor.max())) if tensor.numel() else (0, 0)
    near = [int(v) + step for v in numbers if isinstance(v, int) and abs(v) <= _MAX_SIZE for step in (0, 1, -1)]
    values = [v for v in dict.fromkeys((0, low, high, 1, *near, low - 1, high + 1)) if limits.min <= v <= limits.max]
    yield from (Change("fill", path, value) for value in values[:3])
    yield from (Change("values", path, number) for number in (1, 2))
    yield from (Change("place", path, [value, where]) for value in values for where in ("first", "last"))
    yield from (Change("fill", path, value) for value in values[3:])


def _of_plain(path: Path, value: Any, numbers: list[float | int]) -> Iterator[Change]:
    yield from (Change("set", path, wanted) for wanted in _other_values(value, numbers))


def _other_values(value: Any, numbers: list[float | int]) -> list[Any]:
    """Neighbours of a plain argument, of its own type."""
    small = [v for v in numbers if abs(v) <= _MAX_SIZE]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        wanted = [0, 1, value + 1, value - 1, *(int(v) for v in small if isinstance(v, int)), -1, 2]
        return [v for v in dict.fromkeys(wanted) if v != value and abs(v) <= max(_MAX_SIZE, abs(value) + 1)]
    if isinstance(value, float):
        wanted_floats = [0.0, 1.0, -value, value / 2, value * 2, *(float(v) for v in small), math.nan, math.inf, -0.0]
        kept = {repr(v): v for v in wanted_floats if repr(v) != repr(value)}
        return list(kept.values())
    return []


def _defaults_set(left_out: dict[str, Any], numbers: list[float | int]) -> Iterator[Change]:
    for name, default in left_out.items():
        yield from (Change("set", ("kwargs", name), value) for value in _other_values(default, numbers))


def _crossings(path: Path, leaf: Any, index: int, calls: list[Call]) -> Iterator[Change]:
    """What other given calls have in this place, where it is not of the same kind or is a plain value."""
    seen = {_describe(leaf)}
    for other, (args, kwargs) in enumerate(calls):
        if other == index:
            continue
        for place, value in leaves({"args": args, "kwargs": kwargs}):
            if place == path and _describe(value) not in seen:
                seen.add(_describe(value))
                yield Change("cross", path, other)


def _borrowed(index: int, calls: list[Call]) -> Iterator[Change]:
    """Keyword arguments that only other given calls have."""
    seen = set(calls[index][1])
    for other, (_, kwargs) in enumerate(calls):
        for name in sorted(kwargs.keys() - seen):
            yield Change("cross", ("kwargs", name), other)


def _describe(leaf: Any) -> str:
    return repr(_kind(leaf)) if isinstance(leaf, torch.Tensor) else f"{type(leaf).__name__} {leaf!r}"
