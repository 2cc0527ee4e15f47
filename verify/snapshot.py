"""Everything that can be reached from some values, as flat facts under readable paths."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
import hashlib
import io
import logging
import operator
import random
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

Facts = dict[str, Any]

_MAX_DEPTH = 16
_MAX_FACTS = 50_000
_PLAIN = (int, float, bool, complex, bytes, type(None), torch.dtype, torch.device, torch.layout, slice, range)
_CALLABLES = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.ModuleType, type)
_SILENT = (logging.Logger, types.FrameType, types.TracebackType)
# What nn.Module keeps for itself; `training` is the user's, and the three registries are walked by name.
_INTERNAL = (set(vars(nn.Module())) - {"training"}) | {
    "_compiled_call_impl",
    "_is_full_backward_hook",
    "_is_torch_compile",
}
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class Snapshot:
    """Walks values and collects facts.

    A tensor is described by dtype, shape, layout, gradient flag and bits; an object or a storage that was met before is
    named by the path where it was met first, so equal facts mean equal aliasing too.

    Args:
        canonical: turns private module names in texts into the user's.
    """

    def __init__(self, canonical: Callable[[str], str] = str) -> None:
        self.facts: Facts = {}
        self._canonical = canonical
        self._objects: dict[int, tuple[str, Any]] = {}
        self._storages: dict[int, tuple[str, Any]] = {}

    def add(self, path: str, value: Any, depth: int = 0) -> None:
        """Describe `value` under `path`, and all that it leads to."""
        if len(self.facts) > _MAX_FACTS or depth > _MAX_DEPTH:
            self.facts[path] = "…"
        elif isinstance(value, torch.Tensor):
            self._tensor(path, value, depth)
        elif isinstance(value, enum.Enum) or type(value) in _PLAIN or isinstance(value, _PLAIN):
            self.facts[path] = (type(value).__name__, self._plain(value))
        elif isinstance(value, str):
            self.facts[path] = (type(value).__name__, self._canonical(value))
        elif isinstance(value, np.generic):
            self.facts[path] = (f"numpy {type(value).__name__}", value.item())
        elif isinstance(value, np.ndarray):
            self._array(path, value)
        elif isinstance(value, _CALLABLES):
            self.facts[path] = ("refers to", getattr(value, "__qualname__", getattr(value, "__name__", "?")))
        elif isinstance(value, _SILENT):
            self.facts[path] = type(value).__name__
        elif isinstance(value, bytearray):
            self.facts[path] = ("bytearray", bytes(value))
        elif not self._met(path, value):
            self._compound(path, value, depth)

    def _compound(self, path: str, value: Any, depth: int) -> None:
        if isinstance(value, nn.Module):
            self._module(path, value, depth)
        elif isinstance(value, torch.Generator):
            self.facts[path] = ("Generator", bytes(value.get_state().numpy()))
        elif isinstance(value, Mapping):
            self._mapping(path, value, depth)
        elif isinstance(value, (list, tuple, collections.deque)):
            self.facts[path] = (type(value).__qualname__, f"{len(value)} items")
            for index, item in enumerate(value):
                self.add(f"{path}[{index}]", item, depth + 1)
            self._attributes(path, value, depth)
        elif isinstance(value, (set, frozenset)):
            self.facts[path] = (type(value).__qualname__, sorted(self._key(item) for item in value))
            self._attributes(path, value, depth)
        elif isinstance(value, (io.StringIO, io.BytesIO)):
            self.facts[path] = (type(value).__name__, "closed" if value.closed else value.getvalue())
        elif isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
            self.facts[path] = (type(value).__name__, hashlib.sha1(repr(_drawn_from(value)).encode()).hexdigest()[:12])
        elif isinstance(value, functools.partial):
            self.facts[path] = "partial"
            self.add(f"{path}.func", value.func, depth + 1)
            self.add(f"{path}.args", value.args, depth + 1)
            self.add(f"{path}.keywords", value.keywords, depth + 1)
        else:
            self._object(path, value, depth)

    def _met(self, path: str, value: Any) -> bool:
        """Note where a mutable value was met first; a second meeting is a fact of its own."""
        known = self._objects.get(id(value))
        # The empty tuple and other shared constants are the same object everywhere, which says nothing.
        if isinstance(value, (tuple, frozenset)) and known is None:
            return False
        if known is not None:
            self.facts[path] = f"is {known[0]}"
            return True
        self._objects[id(value)] = (path, value)
        return False

    def _tensor(self, path: str, tensor: torch.Tensor, depth: int) -> None:
        if self._met(path, tensor):
            return
        facts = self.facts
        facts[f"{path}.dtype"] = str(tensor.dtype)
        facts[f"{path}.shape"] = tuple(tensor.shape)
        facts[f"{path}.type"] = type(tensor).__name__
        facts[f"{path}.device"] = str(tensor.device)
        facts[f"{path}.requires_grad"] = tensor.requires_grad
        facts[f"{path}.layout"] = stride_class(tensor)
        facts[f"{path}.memory"] = self._memory(path, tensor)
        facts[f"{path}.bits"] = bits(tensor)
        if tensor.is_inference():
            facts[f"{path}.inference"] = "an inference tensor"
        for name, value in vars(tensor).items():
            # Torch and Dynamo note things of their own there, all under private names.
            if not name.startswith("_"):
                self.add(f"{path}.{name}", value, depth + 1)
        if tensor.is_leaf and tensor.requires_grad:
            self.add(f"{path}.grad", tensor.grad, depth + 1)

    def _memory(self, path: str, tensor: torch.Tensor) -> str:
        if tensor.layout is not torch.strided or tensor.is_nested:
            return "its own"
        storage = tensor.untyped_storage()
        known = self._storages.setdefault(storage._cdata, (path, storage))
        return "its own" if known[0] == path else f"shared with {known[0]}"

    def _array(self, path: str, array: np.ndarray[Any, Any]) -> None:
        if self._met(path, array):
            return
        self.facts[f"{path}.dtype"] = f"numpy {array.dtype}"
        self.facts[f"{path}.shape"] = array.shape
        plain = array.dtype.kind in "biufc"
        self.facts[f"{path}.bits"] = torch.from_numpy(array.copy(order="C")) if plain else repr(array)

    def _mapping(self, path: str, value: Mapping[Any, Any], depth: int) -> None:
        keys = [self._key(key) for key in value]
        self.facts[path] = (type(value).__qualname__, "keys", tuple(keys))
        for key, item in zip(keys, value.values(), strict=True):
            self.add(f"{path}[{key}]", item, depth + 1)
        self._attributes(path, value, depth)

    def _object(self, path: str, value: Any, depth: int) -> None:
        left = operator.length_hint(value, -1) if isinstance(value, Iterator) else -1
        self.facts[path] = type(value).__qualname__ if left < 0 else (type(value).__qualname__, f"{left} left")
        self._attributes(path, value, depth)

    def _attributes(self, path: str, value: Any, depth: int) -> None:
        for name, item in attributes(value):
            self.add(f"{path}.{name}", item, depth + 1)

    def _module(self, path: str, module: nn.Module, depth: int) -> None:
        self.facts[path] = type(module).__qualname__
        transient = module._non_persistent_buffers_set
        registries = (module._parameters, module._buffers, module._modules)
        names = [tuple(f"{n} (not saved)" if n in transient else n for n in r) for r in registries]
        self.facts[f"{path}.registered"] = tuple(names)
        for kind in _HOOKS:
            if getattr(module, kind, None):
                self.facts[f"{path}.{kind[1:]}"] = len(getattr(module, kind))
        for registry in registries:
            for name, item in registry.items():
                self.add(f"{path}.{name}", item, depth + 1)
        self._attributes(path, module, depth)

    def _key(self, key: Any) -> str:
        known = self._objects.get(id(key))
        if known is not None:
            return f"<{known[0]}>"
        if isinstance(key, (tuple, frozenset)):
            return f"({', '.join(self._key(item) for item in key)})"
        if isinstance(key, (*_PLAIN, str, enum.Enum)):
            return self._canonical(repr(key))
        return f"<{getattr(key, '__qualname__', type(key).__qualname__)}>"

    def _plain(self, value: Any) -> Any:
        return repr(value) if isinstance(value, (enum.Enum, torch.dtype, torch.device, torch.layout)) else value


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """The user's attributes of an object, by name; those that torch keeps for itself are left out."""
    held = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                held.setdefault(name, getattr(value, name))
    if isinstance(value, nn.Module):
        held = {name: item for name, item in held.items() if name not in _INTERNAL}
    if isinstance(value, BaseException):
        held["args"] = value.args
    return iter(sorted(held.items()))


def module_state(module: types.ModuleType) -> dict[str, Any]:
    """The data that a module holds: its globals, attributes of its classes and functions, and mutable defaults."""
    held: dict[str, Any] = {}
    for name, value in sorted(vars(module).items()):
        if name.startswith("__"):
            continue
        if _is_data(value, module):
            held[f"global {name}"] = value
        elif isinstance(value, type) and value.__module__ == module.__name__ and not issubclass(value, enum.Enum):
            own = {n: v for n, v in vars(value).items() if not n.startswith("__")}
            held |= {f"class {name}: {n}": v for n, v in sorted(own.items()) if _is_data(v, module)}
            held |= {k: v for n, f in sorted(own.items()) for k, v in _of_function(f"{name}.{n}", f, module).items()}
        else:
            held |= _of_function(name, value, module)
    return held


def _of_function(name: str, value: Any, module: types.ModuleType) -> dict[str, Any]:
    if not isinstance(value, types.FunctionType) or value.__module__ != module.__name__:
        return {}
    held = {n: v for n, v in vars(value).items() if not n.startswith("_") and not isinstance(v, _CALLABLES)}
    defaults = {n: v for n, v in closure(value).items() if n.startswith("default ")}
    held |= {n: v for n, v in defaults.items() if isinstance(v, (list, dict, set, collections.deque))}
    return {f"function {name}: {n}": v for n, v in held.items()}


def _is_data(value: Any, module: types.ModuleType) -> bool:
    """Plain values, containers, tensors, and objects of the module's own classes."""
    data = (int, float, complex, bool, str, bytes, list, dict, set, tuple, collections.deque, torch.Tensor, np.ndarray)
    if isinstance(value, _CALLABLES):
        return False
    return isinstance(value, data) or type(value).__module__ == module.__name__


def _drawn_from(source: Any) -> Any:
    """The state of a source of random numbers."""
    if isinstance(source, np.random.Generator):
        return source.bit_generator.state
    return source.get_state(legacy=False) if isinstance(source, np.random.RandomState) else source.getstate()


def closure(function: types.FunctionType) -> dict[str, Any]:
    """The data that a plain function keeps between calls: its cells, its default arguments and its own attributes.

    What Dynamo's decorators note on a function (`_torchdynamo_disable` and its like) speaks to Dynamo alone.
    """
    held: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell
            held[f"cell {name}"] = cell.cell_contents
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    values = function.__defaults__ or ()
    held |= {f"default {name}": value for name, value in zip(names[len(names) - len(values) :], values, strict=True)}
    held |= {f"default {name}": value for name, value in (function.__kwdefaults__ or {}).items()}
    own = {name: value for name, value in vars(function).items() if not name.startswith(("__", "_torchdynamo"))}
    held |= {f"attribute {name}": value for name, value in own.items()}
    return {name: value for name, value in held.items() if not isinstance(value, _CALLABLES)}


def tensors_in(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of a nest of containers and dataclasses, with their paths."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif depth > _MAX_DEPTH:
        return
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from tensors_in(item, f"{path}[{key!r}]", depth + 1)
    elif isinstance(value, (list, tuple, collections.deque)):
        for index, item in enumerate(value):
            yield from tensors_in(item, f"{path}[{index}]", depth + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from tensors_in(getattr(value, field.name, None), f"{path}.{field.name}", depth + 1)


def stride_class(tensor: torch.Tensor) -> str:
    """How the elements lie in memory, without what sizes below two leave open."""
    if tensor.layout is not torch.strided or tensor.is_nested:
        return str(tensor.layout)
    if tensor.numel() < 2 or tensor.is_contiguous():
        return "contiguous"
    real = [
        (stride, dim) for dim, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)) if size > 1
    ]
    order = sorted(real, reverse=True)
    dense = torch.ops.aten.is_non_overlapping_and_dense.default(tensor)
    repeated = [dim for stride, dim in real if stride == 0]
    text = f"dimensions in the order {[dim for _, dim in order]}"
    return text + ("" if dense else f", repeated {repeated}" if repeated else ", with gaps")


def bits(tensor: torch.Tensor) -> torch.Tensor | str:
    """A dense copy of the values, outside autograd."""
    if tensor.device.type == "meta":
        return "no values"
    try:
        plain = tensor.detach()
        plain = plain.to_dense() if plain.layout is not torch.strided else plain
        plain = plain.dequantize() if plain.is_quantized else plain
        return plain.resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format).cpu()
    except RuntimeError as error:
        return f"unreadable: {str(error).splitlines()[0]}"
