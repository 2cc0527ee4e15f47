"""What differs over several calls, of arguments that were recorded. No torch here."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from .trace import Variation, Varies
from .values import Many, Mapping, Method, Plain, Tensor, Value

Number: TypeAlias = float | int
_SHOWN = 16


def variations(samples: Sequence[dict[str, Value]]) -> list[Variation]:
    """What differs over the samples, each the arguments of a call by parameter."""
    seen: dict[tuple[str, Varies], dict[str, Number | None]] = {}
    for sample in samples:
        for name, value in sample.items():
            for path, kind, text, number in _aspects(name, value):
                seen.setdefault((path, kind), {})[text] = number
    return [_variation(path, kind, texts) for (path, kind), texts in seen.items() if len(texts) > 1]


def _variation(path: str, kind: Varies, texts: dict[str, Number | None]) -> Variation:
    numbers = [number for number in texts.values() if number is not None]
    all_numbers = len(numbers) == len(texts)
    return Variation(
        path=path,
        kind=kind,
        values=list(texts)[:_SHOWN],
        distinct=len(texts),
        low=min(numbers) if all_numbers else None,
        high=max(numbers) if all_numbers else None,
    )


def _aspects(path: str, value: Value) -> Iterator[tuple[str, Varies, str, Number | None]]:
    """Everything that may differ in a value: what, in what respect, as text, and as a number where it is one."""
    yield path, "type", _type(value), None
    if isinstance(value, Tensor):
        yield path, "rank", str(len(value.shape)), len(value.shape)
        yield path, "dtype", value.dtype, None
        yield path, "strides", value.strides, None
        yield path, "device", value.device, None
        yield path, "gradient", str(value.requires_grad), None
        for axis, size in enumerate(value.shape):
            yield f"{path}.shape[{axis}]", "size", str(size), size
    elif isinstance(value, Plain):
        yield path, "value", value.text, _number(value.text)
    elif isinstance(value, Many):
        yield f"len({path})", "length", str(len(value.items)), len(value.items)
        for index, item in enumerate(value.items):
            yield from _aspects(f"{path}[{index}]", item)
    elif isinstance(value, Mapping):
        yield f"{path}.keys()", "value", ", ".join(_key(key) for key, _ in value.items), None
        for key, item in value.items:
            yield from _aspects(f"{path}[{_key(key)}]", item)
    elif isinstance(value, Method):
        yield from _aspects(f"{path}.__self__", value.owner)


def _type(value: Value) -> str:
    if isinstance(value, Tensor):
        return "Tensor"
    return getattr(value, "type", None) or type(value).__name__.lower()


def _key(value: Value) -> str:
    return value.text if isinstance(value, Plain) else "…"


def _number(text: str) -> Number | None:
    with contextlib.suppress(ValueError, SyntaxError):
        value = ast.literal_eval(text)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
    return None
