"""Experiments on torch's functions, where schemas say nothing: dtype rule, totality, gradients, reductions."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

Function = Callable[..., Any]

BIG = torch.finfo(torch.float32).max
SPECIAL = [0.0, -0.0, 1e-45, -1e-45, 1e-30, 0.25, -0.5, 1.0, -1.0, 2.0, 3.5, -3.5, 50.0, -88.0, 1e4]
SPECIAL += [1e18, -1e18, BIG, -BIG]
WILD = [*SPECIAL, math.inf, -math.inf, math.nan]
# What a required number may be; several, as the gradient of `x ** n` hangs on n.
NUMBERS: dict[str, list[Any]] = {
    "dim": [0],
    "dim0": [0],
    "dim1": [1],
    "axis0": [0],
    "axis1": [1],
    "min": [-0.5],
    "max": [0.5],
    "n": [1],
    "p": [0.5],
    "threshold": [0.25],
    "value": [0.25],
}
MASKS = ("condition", "mask")


class Call:
    """A way to call a function, with for each required parameter "tensor", "tensors", "mask" or a number."""

    def __init__(self, function: Function, plan: Sequence[Any]) -> None:
        self.function = function
        self.plan = plan
        self.numbers = [k for k in plan if isinstance(k, float)]
        self.arity = sum(kind in ("tensor", "tensors") for kind in plan)

    def __call__(self, *tensors: torch.Tensor) -> Any:
        """Call the function; masks select every other element."""
        given = iter(tensors)
        arguments: list[Any] = []
        for kind in self.plan:
            if kind == "tensor":
                arguments.append(next(given))
            elif kind == "tensors":
                arguments.append([next(given)] * 2)
            elif kind == "mask":
                arguments.append(torch.arange(tensors[0].numel()).reshape(tensors[0].shape) % 2 == 0)
            else:
                arguments.append(kind)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.function(*arguments)


def calls(function: Function, signatures: Sequence[Sequence[tuple[str, str]]]) -> Iterator[Call]:
    """The calls that the required parameters of each overload, as (name, kind), allow."""
    for parameters in signatures:
        choices: list[list[Any]] = []
        for name, kind in parameters:
            if name in MASKS:
                choices.append(["mask"])
            elif kind in ("tensor", "tensors"):
                choices.append([kind])
            elif kind == "either":
                choices.append(["tensor", *NUMBERS.get(name, [0.5, 2.0, -1.0])])
            elif kind == "int":
                choices.append(NUMBERS.get(name, [1]))
            elif kind == "number":
                choices.append(NUMBERS.get(name, [0.5, 2.0, -1.0]))
            else:
                break
        else:
            for plan in itertools.product(*choices):
                call = Call(function, plan)
                if 1 <= call.arity <= 3:
                    yield call


def grid(values: Sequence[float], arity: int, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    """All combinations of the values, one flat tensor per argument."""
    base = torch.tensor(values, dtype=dtype)
    return [t.reshape(-1) for t in torch.meshgrid(*[base] * arity, indexing="ij")]


def answer(call: Call, *tensors: torch.Tensor) -> torch.Tensor | None:
    """The result where it is a tensor, or the first of several; None where it is something else or the call raises."""
    try:
        result = call(*tensors)
    except Exception:  # any refusal means the same here
        return None
    if isinstance(result, (tuple, list)) and result:
        result = result[0]
    return result if isinstance(result, torch.Tensor) else None


def dtype_rule(call: Call) -> str:
    """One of `Dtype` of the table, or "raises"."""
    values = torch.tensor([[0.25, 0.5], [0.75, 0.5]])
    half, single, double, whole, small, truth = (
        (values if d.is_floating_point else values * 4).to(d)
        for d in (torch.float16, torch.float32, torch.float64, torch.int64, torch.int32, torch.bool)
    )
    rest = call.arity - 1

    def out(*tensors: torch.Tensor) -> torch.dtype | None:
        result = answer(call, *tensors)
        return None if result is None else result.dtype

    floats = [out(t, *[t] * rest) for t in (half, single, double)]
    wholes = [out(t, *[t] * rest) for t in (whole, small, truth)]
    known = {d for d in (*floats, *wholes) if d is not None}
    if len(known) == 1 and known <= {torch.bool, torch.int64} and (floats[1] or len([d for d in wholes if d]) > 1):
        return "bool" if torch.bool in known else "int64"
    if floats[1:] != [torch.float32, torch.float64] or floats[0] not in (None, torch.float16):
        return "unknown" if known else "raises"
    mixed = [out(a, *[b] * rest) for a, b in ((single, double), (double, single))] if rest else []
    if any(d is torch.float64 for d in mixed) and mixed != [torch.float64, torch.float64]:
        return "same" if mixed in ([torch.float32, torch.float64], [None, torch.float64]) else "unknown"
    if all(d in (None, torch.float32) for d in wholes):
        return "float"
    if wholes == [torch.int64, torch.int64, torch.int64]:
        return "accumulate"
    if all(d in (None, e) for d, e in zip(wholes[:2], (torch.int64, torch.int32), strict=True)):
        # A power of bool is int64; that alone does not make another rule.
        return "promote" if torch.float64 in mixed or wholes[2] is torch.int64 else "same"
    return "unknown"


def common_dtype_rule(tried: Sequence[Call]) -> str:
    """The rule of the calls with tensors alone; where there are none, of those with ints and with floats."""
    tensors = {dtype_rule(call) for call in tried if not call.numbers} - {"raises"}
    if tensors:
        return tensors.pop() if len(tensors) == 1 else "unknown"
    floats = {dtype_rule(call) for call in tried} - {"raises"}
    whole = {dtype_rule(Call(call.function, [2 if k in call.numbers else k for k in call.plan])) for call in tried}
    whole -= {"raises"}
    if len(whole) != 1 or len(floats) > 1:
        return "unknown"
    first, second = whole.pop(), floats.pop() if floats else None
    return first if second in (None, first) else "promote" if (first, second) == ("same", "float") else "unknown"


def is_total(call: Call) -> bool:
    """True where no float values make it raise."""
    return all(
        answer(call, *grid(WILD, call.arity, dtype)) is not None
        for dtype in (torch.float32, torch.float64, torch.bfloat16)
    )


def is_elementwise(call: Call) -> bool:
    """True where the result for scattered places is the scattered result."""
    tensors = [torch.rand(5, 4, generator=torch.Generator().manual_seed(i)) for i in range(call.arity)]
    if "mask" in call.plan:
        return True
    whole = answer(call, *tensors)
    if whole is None:  # bitwise operators refuse floats
        tensors = [t > 0.5 for t in tensors]
        whole = answer(call, *tensors)
    rows = torch.tensor([3, 0, 4])
    part = answer(call, *(t[rows][:, [2, 0]] for t in tensors))
    if whole is None or part is None or whole.shape != (5, 4) or part.shape != (3, 2):
        return False
    return torch.equal(part, whole[rows][:, [2, 0]])


def is_reduction(call: Call) -> bool:
    """True where a matrix gives a 0-d tensor."""
    result = answer(call, torch.rand(2, 3)) if call.arity == 1 else None
    if result is None and call.arity == 1:
        result = answer(call, torch.rand(2, 3) > 0)
    return result is not None and result.ndim == 0


def gradient(call: Call, elementwise: bool) -> str:
    """One of `Gradient` of the table."""
    if elementwise:
        finite, wild = [grid(SPECIAL, call.arity)], [grid(WILD, call.arity)]
    else:
        calm = [v for v in SPECIAL if abs(v) <= 1e18] + [1e30, -1e30, 0.75]
        squares = [
            torch.zeros(4, 4),
            torch.ones(4, 4),
            torch.full((4, 4), 1e30),
            torch.tensor((calm * 2)[:16]).reshape(4, 4),
        ]
        finite = [[square.clone() for _ in range(call.arity)] for square in squares]
        wild = [[torch.tensor([1.0, *WILD[-3:]] * 4).reshape(4, 4) for _ in range(call.arity)]]
    levels = [_derivative_is_calm(call, tensors) for tensors in finite]
    if not all(levels):
        return "unsafe"
    return "total" if all(_derivative_is_calm(call, tensors) for tensors in wild) else "finite"


def _derivative_is_calm(call: Call, tensors: list[torch.Tensor]) -> bool:
    leaves = [t.clone().requires_grad_() for t in tensors]
    result = answer(call, *leaves)
    if result is None:
        return False
    if not result.requires_grad:
        return True
    for seed in (torch.ones_like, torch.zeros_like):
        try:
            found: Sequence[torch.Tensor | None] = torch.autograd.grad(
                result, leaves, seed(result), retain_graph=True, allow_unused=True
            )
        except RuntimeError:
            return False
        if any(g is not None and not g.isfinite().all() for g in found):
            return False
    return True
