"""Descriptions of arguments: plain data that changes easily and spells itself as an expression.

The expression is what is evaluated, so a counterexample can print exactly what was run. It may use `torch`, `types`
and `module`, the module that holds the code under test.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import torch

Shape: TypeAlias = tuple[int, ...]
Draw: TypeAlias = Literal["normal", "uniform", "constant", "rising", "placed"]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor argument.

    Attributes:
        shape: its sizes.
        dtype: name of the dtype, without `torch.`.
        draw: where the values come from. `placed` has the first element equal to `shift`, the rest normal.
        scale: floats are multiplied by it; integers lie in [0, scale); booleans are true with this probability.
        shift: added to the values; the value itself for `constant`.
        seed: seeds the values.
    """

    shape: Shape
    dtype: str = "float32"
    draw: Draw = "normal"
    scale: float = 1.0
    shift: float = 0.0
    seed: int = 0

    @property
    def text(self) -> str:
        """The expression."""
        if self.draw == "constant":
            return f"torch.full({self.shape}, {self._number(self.shift)}, dtype=torch.{self.dtype})"
        drawn = self._drawn()
        if self.draw == "rising":
            drawn = f"{drawn}.sort(-1).values" if self.shape else drawn
        if self.draw == "placed" and self.shape and 0 not in self.shape:
            place = f"torch.arange({_count(self.shape)}).reshape({self.shape}) == 0"
            drawn = f"{drawn}.masked_fill({place}, {self._number(self.shift)})"
        return drawn

    def _drawn(self) -> str:
        source = f"generator=torch.Generator().manual_seed({self.seed})"
        if self.dtype == "bool":
            return f"(torch.rand({self.shape}, {source}) < {self.scale})"
        if self.is_float:
            name = "rand" if self.draw == "uniform" else "randn"
            text = f"torch.{name}({self.shape}, {source})"
            text = text if self.scale == 1 else f"({text} * {self.scale})"
            text = text if self.shift == 0 or self.draw == "placed" else f"({text} + {self.shift})"
            return text if self.dtype == "float32" else f"{text}.to(torch.{self.dtype})"
        high = max(int(self.scale), 1)
        shift = 0 if self.draw == "placed" else int(self.shift)
        return f"torch.randint({shift}, {shift + high}, {self.shape}, {source}, dtype=torch.{self.dtype})"

    def _number(self, value: float) -> str:
        if self.dtype == "bool":
            return repr(bool(value))
        if not self.is_float:
            return repr(int(value))
        return repr(float(value)) if value == value and abs(value) != float("inf") else f'float("{value}")'

    @property
    def is_float(self) -> bool:
        """True for the floating-point dtypes."""
        return "float" in self.dtype


@dataclass(frozen=True, slots=True)
class PlainSpec:
    """An argument that is an expression as it stands."""

    text: str

    @property
    def value(self) -> Any:
        """The value, where the expression is a literal or names something of torch."""
        return evaluate(self.text, None)


@dataclass(frozen=True, slots=True)
class ManySpec:
    """A list or a tuple."""

    items: tuple[Spec, ...]
    is_tuple: bool = False

    @property
    def text(self) -> str:
        """The expression."""
        inner = ", ".join(item.text for item in self.items)
        if self.is_tuple:
            return f"({inner}{',' if len(self.items) == 1 else ''})"
        return f"[{inner}]"


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """A dict, or an object that is called with keyword arguments.

    Attributes:
        maker: what is called with the items as keywords: a class of the module as `module.NAME`, or
            `types.SimpleNamespace`; empty for a dict.
        items: names and values, in order.
    """

    maker: str = ""
    items: tuple[tuple[str, Spec], ...] = ()

    @property
    def text(self) -> str:
        """The expression."""
        if self.maker:
            return f"{self.maker}({', '.join(f'{name}={item.text}' for name, item in self.items)})"
        return "{" + ", ".join(f"{name!r}: {item.text}" for name, item in self.items) + "}"


Spec: TypeAlias = TensorSpec | PlainSpec | ManySpec | NamedSpec
NONE, TRUE, FALSE = PlainSpec("None"), PlainSpec("True"), PlainSpec("False")


def plain(value: Any) -> PlainSpec:
    """A literal."""
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return PlainSpec(f'float("{value}")')
    return PlainSpec(repr(value))


def tensors(spec: Spec) -> Iterator[TensorSpec]:
    """The tensors in a spec."""
    if isinstance(spec, TensorSpec):
        yield spec
    elif isinstance(spec, ManySpec):
        for item in spec.items:
            yield from tensors(item)
    elif isinstance(spec, NamedSpec):
        for _, item in spec.items:
            yield from tensors(item)


def variants(spec: Spec, change: Any) -> Iterator[Spec]:
    """The spec with each of its tensors, one at a time, replaced by what `change` yields for it."""
    if isinstance(spec, TensorSpec):
        yield from change(spec)
    elif isinstance(spec, ManySpec):
        for index, item in enumerate(spec.items):
            for new in variants(item, change):
                yield ManySpec((*spec.items[:index], new, *spec.items[index + 1 :]), spec.is_tuple)
    elif isinstance(spec, NamedSpec):
        for index, (name, item) in enumerate(spec.items):
            for new in variants(item, change):
                yield NamedSpec(spec.maker, (*spec.items[:index], (name, new), *spec.items[index + 1 :]))


@dataclass(frozen=True, slots=True)
class CallSpec:
    """A call: positional arguments, then keyword arguments."""

    args: tuple[Spec, ...]
    kwargs: tuple[tuple[str, Spec], ...] = ()

    @property
    def text(self) -> str:
        """The expression of an (args, kwargs) pair."""
        inner = ", ".join(item.text for item in self.args)
        comma = "," if len(self.args) == 1 else ""
        return f"(({inner}{comma}), {NamedSpec('', self.kwargs).text})"


def evaluate(text: str, module: types.ModuleType | None) -> Any:
    """The value of an expression."""
    return eval(_code(text), {"torch": torch, "types": types, "module": module})


@functools.lru_cache(maxsize=4096)
def _code(text: str) -> types.CodeType:
    return compile(text, "<arguments>", "eval", dont_inherit=True)


def _count(shape: Shape) -> int:
    return functools.reduce(lambda a, b: a * b, shape, 1)
