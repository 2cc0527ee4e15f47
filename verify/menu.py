"""What can be changed in one given call, in the order in which it is worth trying."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .changes import Path, containers, leaves
from .draws import Change
from .observe import Call

_MAX_SIZE = 64
_SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-40, 3e38, -3e38)


@dataclass(frozen=True, slots=True)
class Constants:
    """What the text and the callable's state compare with: values at which a condition may turn."""

    numbers: tuple[float | int, ...]
    texts: tuple[str, ...] = ()


def changes_of(index: int, calls: list[Call], function: Callable[..., Any], constants: Constants) -> Iterator[Change]:
    """All single changes of a given call: a turn for each leaf and for the call as a whole, so that none waits long."""
    args, kwargs = calls[index]
    made = {"args": args, "kwargs": kwargs}
    found = list(leaves(made))
    tensors = [(path, leaf) for path, leaf in found if isinstance(leaf, torch.Tensor)]
    others = [(path, leaf) for path, leaf in found if not isinstance(leaf, torch.Tensor)]
    rows: list[Iterable[Change]] = [
        _whole(tensors, constants.numbers),
        _of_signature(function, calls[index], constants),
    ]
    rows += [_of_tensor(path, leaf, constants.numbers) for path, leaf in tensors]
    rows += [_of_plain(path, leaf, constants) for path, leaf in others]
    rows += [_of_container(path, value) for path, value in containers(made) if len(path) > 1]
    rows += [_crossings(path, leaf, index, calls) for path, leaf in found]
    rows.append(_borrowed(index, calls))
    return (change for turn in itertools.zip_longest(*rows) for change in turn if change is not None)


def kind_of(leaf: Any) -> Any:
    """Dtype and shape of a tensor, the type's name of anything else."""
    return (str(leaf.dtype), tuple(leaf.shape)) if isinstance(leaf, torch.Tensor) else type(leaf).__name__


def _whole(tensors: list[tuple[Path, torch.Tensor]], numbers: tuple[float | int, ...]) -> Iterator[Change]:
    """Changes that touch several arguments at once."""
    leading = list(dict.fromkeys(t.shape[0] for _, t in tensors if t.dim()))
    every = list(dict.fromkeys(size for _, t in tensors for size in t.shape))
    known = [int(v) + step for v in numbers if isinstance(v, int) for step in (0, 1, -1)]
    yield from (Change("resize", (), [s, wanted, "first"]) for s in leading for wanted in (0, 1) if s != wanted)
    yield from _of_floats([t for _, t in tensors if t.is_floating_point()])
    for (path, one), (other, two) in itertools.combinations(tensors, 2):
        if one is not two and one.shape == two.shape and one.dtype == two.dtype:
            yield Change("share", path, list(other))
    if sum(t.dim() >= 2 for _, t in tensors) >= 2:
        yield Change("layout", (), "transposed")
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


def _of_tensor(path: Path, tensor: torch.Tensor, numbers: tuple[float | int, ...]) -> Iterator[Change]:
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
    if tensor.dim() >= 1:
        yield Change("rank", path, -1)
    yield Change("rank", path, 1)
    if tensor.dim() == 4:
        yield Change("layout", path, "channels last")
    if tensor.dim() >= 2:
        yield Change("layout", path, "gaps")


def _of_float(path: Path, numbers: tuple[float | int, ...]) -> Iterator[Change]:
    yield from (Change("place", path, [value, "first"]) for value in (math.nan, math.inf))
    yield from (Change("fill", path, 0.0), Change("scale", path, -1.0), Change("values", path, 1))
    yield from (Change("fill", path, float(v)) for v in numbers if v != 0)
    yield from (Change("place", path, [math.nan, "last"]), Change("place", path, [-math.inf, "last"]))
    yield from (Change("scale", path, factor) for factor in (1e3, 1e-3))
    yield from (Change("fill", path, value) for value in (1.0, -1.0, -0.0, math.nan))
    yield from (Change("grad", path, True), Change("halves", path))
    yield from (Change("place", path, [float(v), "first"]) for v in numbers)
    yield from (Change("round", path), Change("values", path, 2), Change("place", path, [0.0, 3]))
    for v in numbers:
        single = torch.tensor(float(v))
        yield from (Change("fill", path, float(torch.nextafter(single, single + side))) for side in (1.0, -1.0))
    yield from (Change("place", path, [value, where]) for value in _SPECIAL for where in (5, "first"))


def _of_integer(path: Path, tensor: torch.Tensor, numbers: tuple[float | int, ...]) -> Iterator[Change]:
    limits = torch.iinfo(tensor.dtype)
    low, high = (int(tensor.min()), int(tensor.max())) if tensor.numel() else (0, 0)
    near = [int(v) + step for v in numbers if isinstance(v, int) and abs(v) <= _MAX_SIZE for step in (0, 1, -1)]
    values = [v for v in dict.fromkeys((0, low, high, 1, *near, low - 1, high + 1)) if limits.min <= v <= limits.max]
    yield from (Change("fill", path, value) for value in values[:3])
    yield from (Change("values", path, number) for number in (1, 2))
    yield from (Change("place", path, [value, where]) for value in values for where in ("first", "last"))
    yield from (Change("fill", path, value) for value in values[3:])
    yield Change("scale", path, -1)
    if tensor.dtype == torch.int64:
        yield Change("int32", path)


def _of_plain(path: Path, value: Any, constants: Constants) -> Iterator[Change]:
    yield from (Change("set", path, wanted) for wanted in _other_values(value, constants))
    if type(value) in (int, float):
        yield Change("tensor", path)


def _other_values(value: Any, constants: Constants) -> list[Any]:
    """Neighbours of a plain argument, of its own type."""
    small = [v for v in constants.numbers if abs(v) <= _MAX_SIZE]
    if isinstance(value, str):
        return [text for text in constants.texts if text != value]
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


def _of_signature(function: Callable[..., Any], call: Call, constants: Constants) -> Iterator[Change]:
    """Parameters set that the call leaves at their default, left out that have one, and passed by name."""
    try:
        signature = inspect.signature(function.forward if isinstance(function, nn.Module) else function)
        bound = signature.bind(*call[0], **call[1]).arguments
    except (TypeError, ValueError):
        return
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = [item for item in signature.parameters.values() if item.kind in named]
    for item in parameters:
        if item.name not in bound and item.default is not inspect.Parameter.empty:
            values = _other_values(item.default, constants)
            yield from (Change("set", ("kwargs", item.name), value) for value in values)
    if call[0] and len(parameters) == len(signature.parameters):
        yield Change("named", (), [item.name for item in parameters])
    defaulted = [item.name for item in parameters if item.default is not inspect.Parameter.empty]
    yield from (Change("drop", ("kwargs", name)) for name in call[1] if name in defaulted)
    if call[0] and len(call[0]) <= len(parameters) and parameters[len(call[0]) - 1].name in defaulted:
        yield Change("drop", ("args", len(call[0]) - 1))


def _of_container(path: Path, value: Any) -> Iterator[Change]:
    if isinstance(value, (list, tuple)):
        yield from (Change("items", path, how) for how in ("none", "fewer", "reversed", "doubled"))
        yield Change("container", path)
    else:
        yield Change("items", path, "reversed")


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
    return repr(kind_of(leaf)) if isinstance(leaf, torch.Tensor) else f"{type(leaf).__name__} {leaf!r}"
