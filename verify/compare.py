"""Where two traces differ, as readable paths."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from .observe import Trace

# What a rule may declare as `KIND: words`, and the facts that such a change touches.
DECLARABLE: Mapping[str, re.Pattern[str]] = {
    "state": re.compile(r"\.self(\.|$)|state_dict keys"),
    "storage": re.compile(r"\.written$"),
    "exception": re.compile(r"\.raised(\.|$)"),
    "output": re.compile(r"\.emitted(\[|$)"),
    "dtype": re.compile(r"\.dtype$"),
    "gradient": re.compile(r"\.gradient of |\.backward$"),
    "float order": re.compile(r"\.bits$"),
    "length": re.compile(r"(?!)"),
}

# Compiled code may fuse and reorder; the figures are those of torch.testing, with float32 as loose as kernels need.
TOLERANCE: Mapping[torch.dtype, tuple[float, float]] = {
    torch.float64: (1e-7, 1e-7),
    torch.complex128: (1e-7, 1e-7),
    torch.float32: (1e-4, 1e-5),
    torch.complex64: (1e-4, 1e-5),
    torch.float16: (1e-2, 1e-3),
    torch.bfloat16: (1.6e-2, 1e-2),
}
# Autograd sums the parts of a gradient in the order of the graph's nodes, which equal code may build differently.
_GRADIENT_ULPS = 16

_MISSING = "nothing"


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that is not the same on both sides."""

    path: str
    old: Any
    new: Any

    @property
    def family(self) -> str:
        """The path without numbers: the same fact of another call or another item."""
        return re.sub(r"\d+", "#", self.path)

    def __str__(self) -> str:
        if isinstance(self.old, torch.Tensor) and isinstance(self.new, torch.Tensor):
            return f"{self.path.removesuffix('.bits')}: {_values(self.old, self.new)}"
        return f"{self.path}: {_show(self.old)} | {_show(self.new)}"


@dataclass(frozen=True, slots=True)
class Rules:
    """How strictly to compare.

    Attributes:
        tolerant: compare floats within `TOLERANCE`, as for compiled code; else bit by bit (every NaN is the same NaN).
        generated: the calls were varied by the judge. Then a call that fails inside a library in the original only
            has to fail in the rewrite too: how a library words it for such arguments is nobody's contract.
        mixed: some arguments are laid out in another way than others. Then how the result is laid out follows from the
            order of operands, which is nobody's contract.
        unstable: families that differ between two runs of the original.
    """

    tolerant: bool = False
    generated: bool = False
    mixed: bool = False
    unstable: frozenset[str] = frozenset()


def differences(old: Trace, new: Trace, rules: Rules, limit: int = 8) -> list[Difference]:
    """The first facts that differ, in the order of the calls."""
    if new.timed_out and not old.timed_out:
        hanging = [path for path in new.facts if path.endswith(".raised")][-1]
        return [Difference(hanging, _MISSING, new.facts[hanging])]
    stop = _first_incidental_failure(old) if rules.generated else None
    if stop is not None and stop not in new.failures and not new.timed_out:
        failure = old.facts[f"call {stop}.raised"]
        return [Difference(f"call {stop}.raised", failure, _MISSING)]
    if stop is not None and new.failures[stop].deliberate and new.failures[stop].kind != old.failures[stop].kind:
        return [Difference(f"call {stop}.raised", old.failures[stop].kind, new.failures[stop].kind)]
    found: list[Difference] = []
    for path in _paths(old, new):
        if stop is not None and _at_or_after(path, stop):
            continue
        left, right = old.facts.get(path, _MISSING), new.facts.get(path, _MISSING)
        if left is right or _passed_over(path, rules) or _same(path, left, right, rules):
            continue
        difference = Difference(path, left, right)
        if difference.family not in rules.unstable:
            found.append(difference)
            if len(found) == limit:
                break
    return found


def _passed_over(path: str, rules: Rules) -> bool:
    """Facts that the rules do not ask for: compiled code is differentiated once only, and has frames of its own."""
    if rules.tolerant and (".gradient of the gradient of " in path or path.endswith(".ascribed to")):
        return True
    return rules.mixed and path.endswith(".layout")


def families(items: Iterable[Difference]) -> frozenset[str]:
    """The families of some differences."""
    return frozenset(item.family for item in items)


def declared_by(difference: Difference, declared: Iterable[str]) -> str | None:
    """The declaration that covers a difference, if any."""
    for text in declared:
        pattern = DECLARABLE.get(text.partition(":")[0].strip())
        if pattern and pattern.search(difference.path):
            return text
    return None


def _paths(old: Trace, new: Trace) -> list[str]:
    """All paths, those of the rewrite alone last; names that only it has from the start are its own business."""
    known = {_holder(path) for path in old.facts} | {""}
    return [*old.facts, *(path for path in new.facts if path not in old.facts and _holder(path) in known)]


def _holder(path: str) -> str:
    """What a fact is about: a global, a cell or a default of a closure, an attribute of a class or a function."""
    found = re.search(r"\.((?:global|cell|default) \w+|(?:class|function) [\w.]+: [\w ]+)", path)
    return found.group(1) if found else ""


def _first_incidental_failure(trace: Trace) -> int | None:
    return next((index for index, failure in sorted(trace.failures.items()) if not failure.deliberate), None)


def _at_or_after(path: str, call: int) -> bool:
    found = re.match(r"call (\d+)", path)
    return path.startswith("end.") or (found is not None and int(found.group(1)) >= call)


def _same(path: str, old: Any, new: Any, rules: Rules) -> bool:
    if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
        if old.dtype != new.dtype or old.shape != new.shape:
            return True  # said by the facts on dtype and shape
        if rules.tolerant and old.dtype in TOLERANCE:
            rtol, atol = TOLERANCE[old.dtype]
            return torch.allclose(old, new, rtol=rtol, atol=atol, equal_nan=True)
        if ".gradient of " in path and old.dtype in TOLERANCE:
            return _close_gradient(old, new)
        return identical(old, new)
    if isinstance(old, tuple) and isinstance(new, tuple):
        return len(old) == len(new) and all(_same_item(a, b, rules) for a, b in zip(old, new, strict=True))
    return bool(type(old) is type(new) and old == new)


def _same_item(old: Any, new: Any, rules: Rules) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        if rules.tolerant and math.isclose(old, new, rel_tol=1e-4, abs_tol=1e-5):
            return True
        return (old != old and new != new) or (old == new and math.copysign(1, old) == math.copysign(1, new))
    if isinstance(old, complex) and isinstance(new, complex):
        return _same_item(old.real, new.real, rules) and _same_item(old.imag, new.imag, rules)
    if isinstance(old, tuple) and isinstance(new, tuple):
        return len(old) == len(new) and all(_same_item(a, b, rules) for a, b in zip(old, new, strict=True))
    return type(old) is type(new) and bool(old == new)


_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def identical(old: torch.Tensor, new: torch.Tensor) -> bool:
    """True where two tensors of equal shape and dtype hold the same bits: every NaN is the same, -0.0 is not 0.0."""
    if old.is_complex():
        return identical(torch.view_as_real(old), torch.view_as_real(new))
    if not old.is_floating_point():
        return torch.equal(old, new)
    bits = _BITS[old.dtype.itemsize]
    if torch.equal(old.view(bits), new.view(bits)):
        return True
    if old.dtype.itemsize == 1:
        return False
    equal = (old == new) & (torch.signbit(old) == torch.signbit(new))
    return bool((equal | (old.isnan() & new.isnan())).all())


def _close_gradient(old: torch.Tensor, new: torch.Tensor) -> bool:
    if not old.numel() or identical(old, new):
        return True
    finite = old.isfinite()
    scale = old[finite].abs().max() if bool(finite.any()) else torch.zeros((), dtype=old.dtype)
    slack = float(scale) * torch.finfo(old.dtype).eps * _GRADIENT_ULPS
    return torch.allclose(old, new, rtol=0.0, atol=slack, equal_nan=True)


def _values(old: torch.Tensor, new: torch.Tensor) -> str:
    unequal = ~((old == new) | ((old != old) & (new != new)))
    if old.is_floating_point():
        unequal |= (old == 0) & (new == 0) & (torch.signbit(old) != torch.signbit(new))
    where = unequal.nonzero()
    if not len(where):
        return "values differ"
    place = tuple(where[0].tolist())
    count = f"{len(where)} of {old.numel()} values differ, first at {list(place)}: " if old.dim() else ""
    return f"{count}{old[place].item()!r} | {new[place].item()!r}"


def _show(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"values of shape {tuple(value.shape)}"
    if (
        isinstance(value, tuple)
        and len(value) == 2
        and value[0] in ("int", "float", "bool", "str", "NoneType", "complex")
    ):
        value = value[1]
    elif isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 160 else f"{text[:157]}…"
