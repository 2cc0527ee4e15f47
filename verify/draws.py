"""Variations of the given calls as small plain data: which calls, what is changed in each, and under which mode."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .changes import CHANGES, Path, leaves, replaced, spell, twin
from .observe import Call
from .targets import owner

MODES = ("train", "eval", "frozen", "float64", "bfloat16", "longer", "copied")


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
    """A given call, by its index, with changes applied in order."""

    base: int
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """A sequence of calls on one freshly built callable.

    Attributes:
        calls: the calls in order.
        modes: what is done to the callable first, a subset of `MODES`.
        grad: `on`, `off` (no_grad) or `inference`.
        reuse: the caller keeps its tensors and overwrites them for the next call, where shapes agree.
        verbose: the root logger lets everything through.
    """

    calls: tuple[CallDraw, ...]
    modes: tuple[str, ...] = ()
    grad: str = "on"
    reuse: bool = False
    verbose: bool = False

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
            parts.append(f"given call {call.base}{f' with {changes}' if changes else ''}")
        modes = [
            *self.modes,
            *(["no gradients"] if self.grad != "on" else []),
            *(["reused tensors"] if self.reuse else []),
        ]
        modes += ["all log levels"] if self.verbose else []
        return ", then ".join(parts) + (f"; {', '.join(modes)}" if modes else "")

    @classmethod
    def from_json(cls, text: str) -> Draw:
        """The inverse of `to_json`."""
        data = json.loads(text)
        calls = tuple(
            CallDraw(c["base"], tuple(Change(x["kind"], tuple(x["path"]), x["value"]) for x in c["changes"]))
            for c in data["calls"]
        )
        return cls(calls, tuple(data["modes"]), data["grad"], data["reuse"], data["verbose"])

    def sequence(self, given: list[Call]) -> Iterator[Call]:
        """The calls, each made ready just before it is due (a reused tensor is overwritten only then).

        `given` is consumed: its containers are changed.

        Raises:
            InapplicableError: a change does not fit.
        """
        counts = Counter(call.base for call in self.calls)
        kept: dict[str, torch.Tensor] = {}
        for call in self.calls:
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
            yield made["args"], made["kwargs"]

    @contextlib.contextmanager
    def context(self) -> Iterator[None]:
        """The gradient mode and the log level under which the calls are made."""
        root = logging.getLogger()
        level = root.level
        modes: dict[str, Callable[[], contextlib.AbstractContextManager[Any]]] = {
            "off": torch.no_grad,
            "inference": torch.inference_mode,
            "on": contextlib.nullcontext,
        }
        if self.verbose:
            root.setLevel(logging.DEBUG)
        try:
            with modes[self.grad]():
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
            if mode == "copied":
                function = copy.deepcopy(function)
                continue
            root = owner(function)
            if isinstance(root, nn.Module):
                _MODULE_MODES[mode](root)
        return function


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


_MODULE_MODES: dict[str, Callable[[nn.Module], Any]] = {
    "train": lambda m: m.train(),
    "eval": lambda m: m.eval(),
    "frozen": lambda m: m.requires_grad_(False),
    "float64": lambda m: m.to(torch.float64),
    "bfloat16": lambda m: m.to(torch.bfloat16),
    "longer": _longer,
}
