"""Describes arguments and objects of a running program, as the plain data that `values.py` names.

This runs inside of the user's program, so it needs nothing but Python and torch, runs no code of the user's (no
property, no `__getattr__`, no `__repr__`), and raises nothing.
"""

from __future__ import annotations

import contextlib
import enum
import itertools
import math
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import torch

Described: TypeAlias = dict[str, Any]

# Parameters of frames that resume after a break, for Dynamo's own use.
_DYNAMOS = "__nested_"
_DEPTH = 8
_ITEMS = 256
_TEXT = 400
# Elements that are looked at for the range of an argument, and of each parameter or buffer of an object.
_ARGUMENT, _STATE = 1 << 24, 1 << 16
_COUNTED = 1 << 16
_CONTENTS = 1 << 12
_OBJECTS = 20_000
_PLAIN = (bool, int, str, bytes, type(None), complex, torch.dtype, torch.device, torch.Size)
_CONSTANTS = (torch.layout, torch.memory_format)


class Describer:
    """Describes values, each object once.

    Args:
        contents: whether the elements of tensors are told too.
        tell: takes (index, description) of an object when it is first met.
    """

    def __init__(self, contents: bool, tell: Callable[[int, Described], None]) -> None:
        self._contents, self._tell = contents, tell
        self._objects: dict[int, tuple[Callable[[], Any], int]] = {}
        self._tensors: dict[int, tuple[Callable[[], Any], int]] = {}
        self._serial, self._identity = itertools.count(), itertools.count(1)
        self._made: dict[int, tuple[Callable[[], Any], Described]] = {}

    def arguments(self, code: types.CodeType, values: tuple[Any, ...]) -> Described:
        """The arguments of a call of a code object, by parameter."""
        names = parameters(code)
        star, double_star = bool(code.co_flags & 4), bool(code.co_flags & 8)
        return {
            "arguments": {
                name: self.value(value)
                for name, value in zip(names, values, strict=False)
                if not name.startswith(_DYNAMOS)
            },
            "positional": code.co_argcount,
            "star": names[-1 - double_star] if star else "",
            "double_star": names[-1] if double_star else "",
        }

    def value(self, value: Any, depth: int = 0, reach: int = _ARGUMENT) -> Described:
        """One value."""
        kind = type(value)
        if isinstance(value, torch.Tensor):
            return self._tensor(value, reach)
        if kind is float or kind in _PLAIN or isinstance(value, _CONSTANTS):
            return _plain(value)
        if isinstance(value, enum.Enum):
            return {"kind": "plain", "type": _name(kind), "text": f"{_name(kind)}.{value.name}"}
        if depth >= _DEPTH:
            return _opaque(kind, "nested too deeply")
        if isinstance(value, (list, tuple, set, frozenset)) and kind.__iter__ is _BASES[_base(kind)].__iter__:
            items = [self.value(item, depth + 1, reach) for item in itertools.islice(_each(value), _ITEMS)]
            return {"kind": "many", "type": _kind(kind), "items": items} if len(value) <= _ITEMS else _long(kind)
        if isinstance(value, dict):
            pairs = list(itertools.islice(dict.items(value), _ITEMS))
            described = [[self.value(k, depth + 1, reach), self.value(v, depth + 1, reach)] for k, v in pairs]
            return {"kind": "mapping", "type": _kind(kind), "items": described} if len(value) <= _ITEMS else _long(kind)
        return self._thing(value, kind, depth)

    def _thing(self, value: Any, kind: type, depth: int) -> Described:
        if isinstance(value, types.MethodType):
            return {"kind": "method", "owner": self.value(value.__self__, depth + 1), "name": value.__func__.__name__}
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return {"kind": "named", "name": _name(value)} if _resolves(value) else _opaque(kind, "has no global name")
        if isinstance(value, types.ModuleType):
            return {"kind": "named", "name": f"{value.__name__}:"}
        if isinstance(value, (torch.Generator, types.GeneratorType, types.FrameType)) or not _has_dict(value):
            return _opaque(kind, "is described by no attributes")
        return {"kind": "ref", "object": self._object(value)}

    def _object(self, value: Any) -> int:
        """The index of an object; what it is, is told once."""
        held = self._objects.get(id(value))
        if held is not None and held[0]() is value:
            return held[1]
        index = next(self._serial)
        self._objects[id(value)] = (_reference(value), index)
        kind = type(value)
        made = self._made.get(id(value))
        full = index >= _OBJECTS
        state = {} if full else {name: self.value(item, 1, _STATE) for name, item in _state(value)}
        self._tell(
            index,
            {
                "type": _name(kind),
                "path": str(getattr(sys.modules.get(kind.__module__), "__file__", None) or ""),
                "is_module": isinstance(value, torch.nn.Module),
                "state": state,
                "made": made[1] if made is not None and made[0]() is value else None,
            },
        )
        return index

    def note_construction(self, module: torch.nn.Module) -> None:
        """Remember what a module is being constructed from, as far as that can be seen from here."""
        held = self._made.get(id(module))
        if (held is not None and held[0]() is module) or type(module).__module__.startswith("torch."):
            return
        found = None
        frame = sys._getframe(2)
        for _ in range(64):
            code = frame.f_code
            if code.co_name == "__init__" and code.co_varnames[:1] and code.co_argcount:
                values = frame.f_locals
                if values.get(code.co_varnames[0]) is module:
                    found = (code, tuple(values.get(name) for name in parameters(code)))
            if frame.f_back is None:
                break
            frame = frame.f_back
        if found is None:
            return
        # The first parameter is the module itself, which has no state as yet.
        self._made[id(module)] = (_reference(module), {})
        self._objects[id(module)] = (_reference(module), -1)
        described = self.arguments(*found)
        described["arguments"].pop(found[0].co_varnames[0])
        described["positional"] -= 1
        del self._objects[id(module)]
        self._made[id(module)] = (_reference(module), described)

    def _tensor(self, value: torch.Tensor, reach: int) -> Described:
        kind = type(value)
        if kind not in _TENSORS or value.layout is not torch.strided or value.is_quantized:
            return _opaque(kind, "a tensor of another kind")
        described: Described = {
            "kind": "tensor",
            "shape": list(value.shape),
            "dtype": str(value.dtype).removeprefix("torch."),
            "device": str(value.device),
            "strides": _strides(value),
            "requires_grad": value.requires_grad,
            "parameter": kind is torch.nn.Parameter,
            "identity": self._same(value),
        }
        with contextlib.suppress(Exception):
            described.update(_contents(value.detach(), reach, self._contents))
        return described

    def _same(self, value: torch.Tensor) -> int:
        held = self._tensors.get(id(value))
        if held is not None and held[0]() is value:
            return held[1]
        index = next(self._identity)
        self._tensors[id(value)] = (weakref.ref(value), index)
        if len(self._tensors) > 4 * _OBJECTS:
            self._tensors = {key: item for key, item in self._tensors.items() if item[0]() is not None}
        return index


_TENSORS = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.nn.Parameter))
_BASES: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def parameters(code: types.CodeType) -> tuple[str, ...]:
    """The names of a function's parameters, in the order of its code."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_varnames[:count]


def _base(kind: type) -> str:
    return next(name for name, base in _BASES.items() if issubclass(kind, base))


def _each(value: Any) -> Iterator[Any]:
    with contextlib.suppress(TypeError):
        if isinstance(value, (set, frozenset)):
            return iter(sorted(value))
    return iter(value)


def _kind(kind: type) -> str:
    return kind.__name__ if kind in (list, tuple, set, frozenset, dict) else _name(kind)


def _name(value: Any) -> str:
    return f"{getattr(value, '__module__', None) or 'builtins'}:{value.__qualname__}"


def _resolves(value: Any) -> bool:
    """True where the module that a function or class names has it under its name."""
    found: Any = sys.modules.get(getattr(value, "__module__", None) or "builtins")
    for part in value.__qualname__.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    return found is value or getattr(found, "__func__", None) is value


def _plain(value: Any) -> Described:
    kind = type(value)
    if kind is float and not math.isfinite(value):
        return {"kind": "plain", "type": "float", "text": f'float("{value}")'}
    text = repr(tuple(value)) if kind is torch.Size else repr(value)
    text = f"torch.{text}" if kind is torch.device else f"torch.Size({text})" if kind is torch.Size else text
    if len(text) > _TEXT:
        return _long(kind)
    return {"kind": "plain", "type": kind.__name__, "text": text}


def _long(kind: type) -> Described:
    return _opaque(kind, "too long to be told")


def _opaque(kind: type, why: str) -> Described:
    return {"kind": "opaque", "type": _name(kind), "why": why}


def _reference(value: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def _has_dict(value: Any) -> bool:
    kind = type(value)
    return kind.__dictoffset__ != 0 or any(vars(base).get("__slots__") for base in kind.__mro__)


def _state(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object, from its `__dict__` and slots; of a module without what is empty by default."""
    is_module = isinstance(value, torch.nn.Module)
    with contextlib.suppress(AttributeError, TypeError):
        for name, item in list(object.__getattribute__(value, "__dict__").items()):
            if isinstance(name, str) and not (is_module and name in _BARE and not item):
                yield name, item
    for base in type(value).__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            member = vars(base).get(name)
            if isinstance(member, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):
                    yield name, member.__get__(value)


_BARE = frozenset(name for name, item in vars(torch.nn.Module()).items() if not item and name != "training")


def _strides(value: torch.Tensor) -> str:
    shape, stride = value.shape, value.stride()
    if value.is_contiguous():
        return "contiguous"
    if value.dim() == 4 and value.is_contiguous(memory_format=torch.channels_last):
        return "channels_last"
    if any(step == 0 and size > 1 for size, step in zip(shape, stride, strict=True)):
        return "expanded"
    return "transposed" if value.dim() >= 2 and value.transpose(-1, -2).is_contiguous() else "strided"


def _contents(value: torch.Tensor, reach: int, contents: bool) -> Described:
    """The range of the elements, of a sample of them where there are many."""
    count = value.numel()
    if not count or value.is_complex() or value.device.type == "meta" or _is_capturing(value):
        return {}
    looked = value
    if count > reach:
        looked = value.reshape(-1)[:: count // reach + 1] if value.is_contiguous() else value[..., :1]
    if value.dtype is torch.bool or value.element_size() == 1:
        looked = looked.to(torch.float32 if looked.is_floating_point() else torch.int32)
    least, greatest = (item.item() for item in torch.aminmax(looked))
    found: Described = {"finite": True, "low": least, "high": greatest}
    if isinstance(least, float) and not (math.isfinite(least) and math.isfinite(greatest)):
        found = {"finite": False}
    elif least == greatest:
        found["pattern"] = "constant"
    elif least == 0 and count <= _COUNTED and _counts(value, greatest):
        found["pattern"] = "counting"
    if contents and count <= _CONTENTS:
        found["values"] = [_told(item) for item in value.reshape(-1).tolist()]
    return found


def _counts(value: torch.Tensor, greatest: Any) -> bool:
    if not value.dim() or value.dtype is torch.bool or greatest != value.shape[-1] - 1:
        return False
    return bool((value == torch.arange(value.shape[-1], device=value.device)).all())


def _told(item: Any) -> Any:
    return str(item) if isinstance(item, float) and not math.isfinite(item) else item


def _is_capturing(value: torch.Tensor) -> bool:
    return value.device.type == "cuda" and torch.cuda.is_current_stream_capturing()
