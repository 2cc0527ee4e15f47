"""Descriptions of arguments and objects in a recorded run: the second half of its schema. No torch here."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import field

Strides: TypeAlias = Literal["contiguous", "channels_last", "transposed", "expanded", "strided"]
Pattern: TypeAlias = Literal["", "constant", "counting"]


class Data(msgspec.Struct):
    """Base of everything in a trace; a reader ignores the keys that it does not know."""


class Tensor(Data, tag="tensor", tag_field="kind"):
    """A tensor.

    Attributes:
        shape, dtype, device: as torch has them; the dtype without `torch.`.
        strides: their class.
        requires_grad: whether gradients are asked for; `parameter`: whether it is an `nn.Parameter`.
        low, high: the least and the greatest element; None where there is none, or it is not finite.
        finite: False where some element is NaN or infinite.
        pattern: `constant` for one value throughout, `counting` for 0, 1, 2, … along the last dimension.
        values: the elements, flat, those that are not finite as texts; only where contents were asked for.
        identity: a number that is the same for the same tensor object; 0 where it was not looked at.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str = "cpu"
    strides: Strides = "contiguous"
    requires_grad: bool = False
    parameter: bool = False
    low: float | int | None = None
    high: float | int | None = None
    finite: bool = True
    pattern: Pattern = ""
    values: list[float | int | bool | str] | None = None
    identity: int = 0


class Plain(Data, tag="plain", tag_field="kind"):
    """A Python value that spells itself: `text` is an expression of it, in `torch` and builtins.

    Of a member of an enumeration it is `MODULE:CLASS.MEMBER`, and `type` is `MODULE:CLASS`.
    """

    type: str
    text: str


class Many(Data, tag="many", tag_field="kind"):
    """A list, tuple or set, or a class of tuples with names; `type` is `list`, `tuple`, `set` or `MODULE:NAME`."""

    type: str
    items: list[Value] = field(default_factory=list)


class Mapping(Data, tag="mapping", tag_field="kind"):
    """A dict or a class of it; keys and values in order. `type` is `dict` or `MODULE:NAME`."""

    type: str = "dict"
    items: list[tuple[Value, Value]] = field(default_factory=list)


class Named(Data, tag="named", tag_field="kind"):
    """Something that a module holds by name, a function or a class: `MODULE:QUALIFIED.NAME`."""

    name: str


class Ref(Data, tag="ref", tag_field="kind"):
    """An object, by its index in the run's `objects`."""

    object: int


class Method(Data, tag="method", tag_field="kind"):
    """A bound method."""

    owner: Value
    name: str


class Opaque(Data, tag="opaque", tag_field="kind"):
    """Something that is not described: its type, and why."""

    type: str
    why: str = ""


Value: TypeAlias = Tensor | Plain | Many | Mapping | Named | Ref | Method | Opaque


class Construction(Data):
    """The arguments that a module was constructed from, without itself: see `Sample`."""

    arguments: dict[str, Value] = field(default_factory=dict)
    positional: int = 0
    star: str = ""
    double_star: str = ""


class Object(Data):
    """An object when it was first seen: its class, and what stands in its `__dict__` and slots.

    Of a module, the parameters, buffers and submodules stand among the state, in their own dictionaries.

    Attributes:
        type: `MODULE:QUALIFIED.NAME` of its class.
        path: the file that defines the class; empty where there is none.
        state: by name of the attribute.
        is_module: whether it is an `nn.Module`.
        made: what it was constructed from; None where that was not seen.
    """

    type: str
    path: str = ""
    state: dict[str, Value] = field(default_factory=dict)
    is_module: bool = False
    made: Construction | None = None
