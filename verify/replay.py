"""Turns what was recorded of calls into expressions that make such calls again (see `specs`)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .specs import CallSpec, ManySpec, NamedSpec, PlainSpec, Spec, TensorSpec
from .trace import Frame, Run, Sample, Trace, TraceError, decoded, merged
from .values import Construction, Many, Mapping, Method, Named, Object, Plain, Ref, Tensor, Value

_MAX_CALLS = 6
_DEPTH = 24


class UnknownValueError(Exception):
    """A recorded value cannot be made again; the message says which."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Calls of one function that were recorded.

    Attributes:
        build: the expression of the callable.
        calls: each call, as it is made.
        arguments: the arguments of the first one by parameter, without those that a star takes.
    """

    build: str
    calls: tuple[CallSpec, ...]
    arguments: tuple[tuple[str, Spec], ...]


def recorded_calls(files: Iterable[str], path: str, module: str) -> dict[str, Recorded]:
    """The recorded calls of each function of a file, by qualified name, those that were compiled themselves first.

    Args:
        files: the traces.
        path: the file.
        module: the name under which it is imported.
    """
    found: dict[str, Recorded] = {}
    for run in _runs(files):
        frames = [(n, f) for n, f in enumerate(run.frames) if f.parent < 0 and same_file(f.path, path)]
        for number, frame in sorted(frames, key=lambda pair: not pair[1].root):
            samples = [sample for sample in run.samples if sample.frame == number]
            made = _Maker(run, path, module).recorded(frame, samples) if samples else None
            if made is not None and frame.name not in found:
                found[frame.name] = made
    return found


def same_file(one: str, other: str) -> bool:
    """True where two paths lead to one file."""
    return one == other or Path(one).resolve() == Path(other).resolve()


def _runs(files: Iterable[str]) -> list[Run]:
    traces: list[Trace] = []
    for file in files:
        with contextlib.suppress(OSError, TraceError):
            traces.append(decoded(Path(file).read_bytes()))
    return merged(traces).runs


class _Maker:
    """Writes expressions for the values of one run."""

    def __init__(self, run: Run, path: str, module: str) -> None:
        self._run, self._path, self._module = run, path, module
        self._seed = 0

    def recorded(self, frame: Frame, samples: Sequence[Sample]) -> Recorded | None:
        """The calls of a frame; None where none of them can be made again."""
        if "<" in frame.name:
            return None
        calls: list[CallSpec] = []
        build, arguments = "", tuple[tuple[str, Spec], ...]()
        for sample in _spread(samples):
            with contextlib.suppress(UnknownValueError):
                made = self._build(frame, sample)
                call, named = self._call(sample, "." in frame.name)
                build, arguments = build or made, arguments or named
                if made == build:
                    calls.append(call)
        return Recorded(build, tuple(calls), arguments) if calls else None

    def _build(self, frame: Frame, sample: Sample) -> str:
        owner, _, method = frame.name.rpartition(".")
        if not owner:
            return f"module.{frame.name}"
        first = next(iter(sample.arguments.values()), None)
        if not isinstance(first, Ref):
            raise UnknownValueError(frame.name)
        made = self._object(first.object, 0)
        if sample.training is False:
            made = f"{made}.eval()"
        return made if method in ("forward", "__call__") else f"{made}.{method}"

    def _call(self, sample: Sample, is_method: bool) -> tuple[CallSpec, tuple[tuple[str, Spec], ...]]:
        """A call, and its arguments by parameter."""
        stars = (sample.star, sample.double_star)
        names = [name for name in list(sample.arguments)[is_method:] if name not in stars]
        named = tuple((name, self.spec(sample.arguments[name])) for name in names)
        rest, others = (sample.arguments.get(star) for star in stars)
        further = tuple(self.spec(item) for item in rest.items) if isinstance(rest, Many) else ()
        last = self.spec(others) if isinstance(others, Mapping) else NamedSpec()
        keywords = last.items if isinstance(last, NamedSpec) else ()
        ordered = sample.positional - is_method
        args = (*(item for _, item in named[:ordered]), *further)
        return CallSpec(args, (*named[ordered:], *keywords)), named

    def spec(self, value: Value, depth: int = 0) -> Spec:
        """A value as a spec.

        Raises:
            UnknownValueError: it cannot be made again.
        """
        if depth > _DEPTH:
            raise UnknownValueError("nested too deeply")
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, Plain):
            return PlainSpec(self._named(value.text) if value.text.startswith(f"{value.type}.") else value.text)
        if isinstance(value, Many):
            items = tuple(self.spec(item, depth + 1) for item in value.items)
            made = ManySpec(items, value.type == "tuple")
            if value.type in ("list", "tuple"):
                return made
            if value.type in ("set", "frozenset"):
                return PlainSpec(f"{value.type}({made.text})")
            # A tuple with names takes its items in order; any other class of lists and tuples, all of them at once.
            return PlainSpec(f"{self._named(value.type)}(*{made.text})")
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, Named):
            return PlainSpec(self._named(value.name))
        if isinstance(value, Ref):
            return PlainSpec(self._object(value.object, depth + 1))
        if isinstance(value, Method):
            return PlainSpec(f"{self.spec(value.owner, depth + 1).text}.{value.name}")
        raise UnknownValueError(f"{value.type}: {value.why}")

    def _mapping(self, value: Mapping, depth: int) -> Spec:
        pairs = [(self.spec(key, depth + 1), self.spec(item, depth + 1)) for key, item in value.items]
        names = [key.value if isinstance(key, PlainSpec) and key.text[:1] in "'\"" else None for key, _ in pairs]
        if value.type == "dict" and all(isinstance(name, str) for name in names):
            return NamedSpec("", tuple((str(name), item) for name, (_, item) in zip(names, pairs, strict=True)))
        listed = "{" + ", ".join(f"{key.text}: {item.text}" for key, item in pairs) + "}"
        return PlainSpec(listed if value.type == "dict" else f"{self._named(value.type)}({listed})")

    def _tensor(self, value: Tensor) -> Spec:
        if value.dtype.startswith(("complex", "quint", "qint", "float8", "bits")) or value.device.startswith("meta"):
            raise UnknownValueError(f"a tensor of {value.dtype} on {value.device}")
        self._seed += 1
        if value.values is not None:
            numbers = ", ".join(_number(item) for item in value.values)
            made: Spec = PlainSpec(f"torch.tensor([{numbers}], dtype=torch.{value.dtype}).reshape({value.shape})")
        elif value.pattern == "counting":
            made = PlainSpec(
                f"torch.arange({value.shape[-1]}, dtype=torch.{value.dtype}).repeat({(*value.shape[:-1], 1)})"
            )
        else:
            made = _drawn(value, self._seed)
        if value.strides == "transposed" and isinstance(made, TensorSpec):
            made = PlainSpec(f"{replace(made, shape=(*value.shape[:-2], *value.shape[:-3:-1])).text}.transpose(-1, -2)")
        elif value.strides == "channels_last":
            made = PlainSpec(f"{made.text}.to(memory_format=torch.channels_last)")
        if value.parameter:
            return PlainSpec(f"torch.nn.Parameter({made.text}, requires_grad={value.requires_grad})")
        return PlainSpec(f"{made.text}.requires_grad_()") if value.requires_grad else made

    def _object(self, index: int, depth: int) -> str:
        """An object: as it was constructed, where that was seen, else from its state."""
        if depth > _DEPTH or index >= len(self._run.objects):
            raise UnknownValueError("nested too deeply")
        held = self._run.objects[index]
        if held.made is not None:
            try:
                return f"{self._constructed(held, held.made, depth)}{self._converted(held)}"
            except UnknownValueError:
                pass
        items = [(name, self.spec(item, depth + 1)) for name, item in held.state.items()]
        state = "{" + ", ".join(f"{name!r}: {item.text}" for name, item in items) + "}"
        begun = "torch.nn.Module.__init__(o), " if held.is_module else ""
        return f"(lambda o: ({begun}o.__dict__.update({state}), o)[-1])(object.__new__({self._named(held.type)}))"

    def _constructed(self, held: Object, made: Construction, depth: int) -> str:
        star = made.arguments.get(made.star)
        double_star = made.arguments.get(made.double_star)
        names = [name for name in made.arguments if name not in (made.star, made.double_star)]
        parts = []
        for position, name in enumerate(names):
            text = self.spec(made.arguments[name], depth + 1).text
            parts.append(text if position < made.positional and isinstance(star, Many) else f"{name}={text}")
        if isinstance(star, Many):
            parts[made.positional : made.positional] = [self.spec(item, depth + 1).text for item in star.items]
        if isinstance(double_star, Mapping) and double_star.items:
            parts.append(f"**{self.spec(double_star, depth + 1).text}")
        return f"{self._named(held.type)}({', '.join(parts)})"

    def _converted(self, held: Object) -> str:
        """What was done to a module since it was constructed, as calls of methods that return it."""
        parameters = [tensor for tensor in _parameters(self._run, held) if "float" in tensor.dtype]
        dtypes = {tensor.dtype for tensor in parameters}
        text = ""
        if len(dtypes) == 1 and dtypes != {"float32"}:
            text += f".to(torch.{dtypes.pop()})"
        if parameters and not any(tensor.requires_grad for tensor in parameters):
            text += ".requires_grad_(False)"
        return text

    def _named(self, name: str) -> str:
        module, _, rest = name.partition(":")
        if "<" in rest:
            raise UnknownValueError(f"{name} has no global name")
        if module == "builtins":
            return rest
        if module == self._module or (module == "__main__" and self._is_script):
            return f"module.{rest}"
        if module == "__main__":
            raise UnknownValueError(f"{rest} is defined in the script that was run")
        found = module if module == "torch" else f'__import__("importlib").import_module("{module}")'
        return f"{found}.{rest}" if rest else found

    @property
    def _is_script(self) -> bool:
        return any(same_file(word, self._path) for word in self._run.command if word.endswith(".py"))


def _parameters(run: Run, held: Object, depth: int = 0) -> Iterator[Tensor]:
    """The parameters of a module and of those within it."""
    for group in ("_parameters", "_modules"):
        found = held.state.get(group)
        for _, item in found.items if isinstance(found, Mapping) else ():
            if isinstance(item, Tensor):
                yield item
            elif isinstance(item, Ref) and depth < _DEPTH and item.object < len(run.objects):
                yield from _parameters(run, run.objects[item.object], depth + 1)


def _spread(samples: Sequence[Sample]) -> list[Sample]:
    """A few samples that differ, in the order of their calls."""
    distinct: dict[str, Sample] = {}
    for sample in samples:
        distinct.setdefault(_shape_of(sample), sample)
    chosen = list(distinct.values())
    if len(chosen) < _MAX_CALLS:
        chosen += [s for s in samples if not any(s is c for c in chosen)][: _MAX_CALLS - len(chosen)]
    step = max(1, len(chosen) // _MAX_CALLS)
    kept = chosen[::step][:_MAX_CALLS]
    return [sample for sample in samples if any(sample is one for one in kept)]


def _shape_of(sample: Sample) -> str:
    return json.dumps([_outline(value) for value in sample.arguments.values()])


def _outline(value: Value) -> object:
    if isinstance(value, Tensor):
        return [value.shape, value.dtype, value.pattern]
    if isinstance(value, Plain):
        return value.text
    return [_outline(item) for item in value.items] if isinstance(value, Many) else type(value).__name__


def _drawn(value: Tensor, seed: int) -> TensorSpec:
    """A tensor of the recorded range."""
    low, high = value.low, value.high
    if low is None or high is None:
        return TensorSpec(value.shape, value.dtype, seed=seed, scale=1.0 if "float" in value.dtype else 2.0)
    if low == high:
        return TensorSpec(value.shape, value.dtype, draw="constant", shift=float(low))
    if value.dtype == "bool":
        return TensorSpec(value.shape, value.dtype, scale=0.7, seed=seed)
    if "float" not in value.dtype:
        return TensorSpec(value.shape, value.dtype, scale=float(high - low + 1), shift=float(low), seed=seed)
    return TensorSpec(value.shape, value.dtype, draw="uniform", scale=float(high - low), shift=float(low), seed=seed)


def _number(item: float | int | bool | str) -> str:
    return f'float("{item}")' if isinstance(item, str) else repr(item)
