"""Variations of the given calls as small plain data: which calls, what is changed in each, and under which mode."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import logging
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .changes import CHANGES, RETYPING, Path, leaves, replaced, spell, twin
from .observe import BetweenError, Call
from .targets import owner


class InapplicableError(Exception):
    """A change does not fit its argument: the draw says nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one call.

    Attributes:
        kind: a key of `CHANGES`.
        path: the leaf, as ("args", 0, ...) or ("kwargs", "name", ...); empty where the whole call is meant.
        value: JSON-ready data that the kind understands.
    """

    kind: str
    path: Path = ()
    value: Any = None

    def words(self) -> str:
        """The change in a few words."""
        where = spell(self.path) if self.path else "all arguments"
        return f"{where}: {self.kind}" + ("" if self.value is None else f" {self.value}")


@dataclass(frozen=True, slots=True)
class CallDraw:
    """A given call, by its index, with changes applied in order, under its own mode (a key of `GRADIENT_MODES`)."""

    base: int
    changes: tuple[Change, ...] = ()
    mode: str = "on"


@dataclass(frozen=True, slots=True)
class Draw:
    """A sequence of calls on one freshly built callable.

    Attributes:
        calls: the calls in order.
        modes: what is done to the callable first: `copied`, a key of `MODULE_MODES`, or `bump NAME` for an attribute.
        grad: a key of `GRADIENT_MODES`, for all calls.
        switch: a module goes from training to evaluation, or back, before each call but the first.
        between: what happens to the object before each call but the first: `step` changes a module's parameters as an
            optimizer does, `reload` loads the state_dict that it began with, `copy` puts a deep copy in its place.
        reuse: the caller keeps its tensors and overwrites them for the next call, where shapes agree.
        verbose: the root logger lets everything through.
    """

    calls: tuple[CallDraw, ...]
    modes: tuple[str, ...] = ()
    grad: str = "on"
    reuse: bool = False
    switch: bool = False
    verbose: bool = False
    between: str = ""

    @classmethod
    def given(cls, count: int) -> Draw:
        """The given calls as they are."""
        return cls(tuple(CallDraw(index) for index in range(count)))

    def is_given(self, count: int) -> bool:
        """True where nothing is varied."""
        return self == Draw.given(count)

    def to_json(self) -> str:
        """The draw as one line of JSON."""
        return json.dumps(dataclasses.asdict(self), separators=(",", ":"))

    def words(self) -> str:
        """The draw in a few words, for a reason line."""
        parts = []
        for call in self.calls:
            changes = ", ".join(change.words() for change in call.changes)
            under = "" if call.mode == "on" else f" under {_NAMES[call.mode]}"
            parts.append(f"given call {call.base}{f' with {changes}' if changes else ''}{under}")
        modes = [
            *self.modes,
            *([_NAMES[self.grad]] if self.grad != "on" else []),
            *(["reused tensors"] if self.reuse else []),
        ]
        modes += [*(["switching modes"] if self.switch else []), *(["all log levels"] if self.verbose else [])]
        modes += [f"{self.between} between calls"] if self.between else []
        return ", then ".join(parts) + (f"; {', '.join(modes)}" if modes else "")

    @classmethod
    def from_json(cls, text: str) -> Draw:
        """The inverse of `to_json`."""
        data = json.loads(text)
        calls = tuple(
            CallDraw(c["base"], tuple(Change(x["kind"], tuple(x["path"]), x["value"]) for x in c["changes"]), c["mode"])
            for c in data["calls"]
        )
        return cls(**{**data, "calls": calls, "modes": tuple(data["modes"])})

    def sequence(self, given: list[Call], function: Callable[..., Any] | None = None) -> Iterator[Call]:
        """The calls, each made ready just before it is due (a reused tensor is overwritten only then), in its mode.

        `given` is consumed: its containers are changed. `function` is what the calls are for, where modes switch.

        Raises:
            InapplicableError: a change does not fit.
            BetweenError: what is to happen between two calls fails.
        """
        counts = Counter(call.base for call in self.calls)
        kept: dict[str, torch.Tensor] = {}
        root = owner(function) if function else None
        begun_with = _saved(root) if self.between == "reload" else {}
        for index, call in enumerate(self.calls):
            if index and root is not None:
                self._intervene(root, begun_with)
            # A tensor that two given calls share stays shared, unless one given call is made twice.
            args, kwargs = twin(given[call.base]) if counts[call.base] > 1 else given[call.base]
            made: dict[str, Any] = {"args": args, "kwargs": kwargs}
            try:
                for change in call.changes:
                    CHANGES[change.kind](made, change.path, change.value, given)
            except Exception as error:
                raise InapplicableError(f"{call}: {error}") from error
            if self.reuse:
                _reuse(made, kept)
            with GRADIENT_MODES[call.mode]():
                yield made["args"], made["kwargs"]

    def _intervene(self, root: Any, begun_with: dict[str, Any]) -> None:
        try:
            if self.between == "copy":
                _copied(root)
            if not isinstance(root, nn.Module):
                return
            if self.switch:
                root.train(not root.training)
            if self.between == "step":
                _scale_parameters(root, 1.25)
            elif self.between == "reload":
                root.load_state_dict(begun_with)
        except Exception as error:
            raise BetweenError(f"{self.between or 'switch'}: {type(error).__name__}") from error

    @contextlib.contextmanager
    def context(self) -> Iterator[None]:
        """The gradient mode and the log level under which the calls are made."""
        root = logging.getLogger()
        level = root.level
        if self.verbose:
            root.setLevel(logging.DEBUG)
        try:
            with GRADIENT_MODES[self.grad]():
                yield
        finally:
            root.setLevel(level)

    def prepare(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The callable in the draw's modes (changed in place, but for a copy).

        Raises:
            InapplicableError: it cannot be brought into a mode.
        """
        try:
            return self._prepared(function)
        except Exception as error:
            raise InapplicableError(f"{self.modes}: {error}") from error

    def _prepared(self, function: Callable[..., Any]) -> Callable[..., Any]:
        for mode in self.modes:
            root = owner(function)
            if mode == "copied":
                function = copy.deepcopy(function)
            elif mode.startswith("bump "):
                _bump(root, mode.removeprefix("bump "))
            elif isinstance(root, nn.Module):
                MODULE_MODES[mode](root)
        return function

    @property
    def retypes(self) -> bool:
        """True where an argument's type or a plain attribute was changed: the original decides whether that goes."""
        bumped = any(mode.startswith("bump ") for mode in self.modes)
        return bumped or any(change.kind in RETYPING for call in self.calls for change in call.changes)

    @property
    def mixes_layouts(self) -> bool:
        """True where not all arguments need be laid out in the same way."""
        return any(
            change.kind == "layout" and (change.path or len(call.changes) > 1)
            for call in self.calls
            for change in call.changes
        )

    @property
    def restructures(self) -> bool:
        """True where something that the constructor fixed was changed."""
        return any(mode == "longer" or mode.startswith("bump ") for mode in self.modes)


def _copied(root: Any) -> None:
    """Put a deep copy's attributes in the place of an object's own."""
    if hasattr(root, "__dict__") and not isinstance(root, types.FunctionType):
        held = vars(copy.deepcopy(root))
        vars(root).clear()
        vars(root).update(held)


def _saved(root: Any) -> dict[str, Any]:
    return copy.deepcopy(root.state_dict()) if isinstance(root, nn.Module) else {}


def _reuse(made: dict[str, Any], kept: dict[str, torch.Tensor]) -> None:
    for path, leaf in list(leaves(made)):
        if not isinstance(leaf, torch.Tensor):
            continue
        first = kept.setdefault(spell(path), leaf)
        if first is leaf or first.shape != leaf.shape or first.dtype != leaf.dtype or 0 in first.stride():
            continue
        with torch.no_grad():
            first.copy_(leaf)
        replaced(made, path, first)


def _longer(module: nn.Module) -> None:
    """Give each list of layers one more."""
    for part in list(module.modules()):
        if isinstance(part, nn.ModuleList) and len(part):
            part.append(copy.deepcopy(part[-1]))


def _bump(root: Any, name: str) -> None:
    value = getattr(root, name)
    setattr(root, name, not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * 2)


def _scale_parameters(module: nn.Module, factor: float) -> None:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(factor)


GRADIENT_MODES: dict[str, Callable[[], contextlib.AbstractContextManager[Any]]] = {
    "on": contextlib.nullcontext,
    "off": torch.no_grad,
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
}
_NAMES = {"off": "no_grad", "inference": "inference_mode", "autocast": "autocast"}

MODULE_MODES: dict[str, Callable[[nn.Module], Any]] = {
    "train": lambda m: m.train(),
    "eval": lambda m: m.eval(),
    "frozen": lambda m: m.requires_grad_(False),
    "float64": lambda m: m.to(torch.float64),
    "bfloat16": lambda m: m.to(torch.bfloat16),
    "zeroed": lambda m: _scale_parameters(m, 0.0),
    "large": lambda m: _scale_parameters(m, 100.0),
    "longer": _longer,
}
