"""Random functions, rewritten by all rules: run eagerly, they do what they did, bit for bit."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from refactor.transforms import smith
from refactor.transforms.model import Fix
from refactor.transforms.source import Source

PASSES = 4
HEADER = """\
import torch
import torch.nn.functional as F


def total(v):
    if v.sum() > 1:
        return v * 2
    return v


def note(v):
    v.add_(1)


"""
# `t` is a tensor of floats in one or two dimensions, `u` one of its shape, `n` an int, `b` a bool, `s` a list.
TENSORS = ["x", "y", "h"]
VALUES = [
    "{t} * 2",
    "{t} + {u}",
    "{t} - {u}.mean()",
    "{t} * {u}",
    "{t} / 3",
    "-{t}",
    "+{t}",
    "{t}",
    "{t}.abs().sqrt()",
    "{t}.clamp(-1, 1)",
    "torch.relu({t})",
    "F.relu({t}, True)",
    "torch.where({t} > 0, {t}, {u})",
    "{t}.softmax(-1)",
    "{t}.sum()",
    "{t}.mean(-1, keepdim=True)",
    "{t}[{t} > 0]",
    "{t}[:1]",
    "{t}.view(-1)",
    "{t}.flatten()[n:]",
    "{t}.to(torch.float64)",
    "{t}.long()",
    "total({t})",
    "{t} * {u}.sum().item()",
    "{t} if {c} else {u}",
    "{t} * 2 if {c} else {u} + 1",
    "(b and {t}.any()) or {u}",
    "torch.zeros(n)",
    "torch.stack([{t}.sum(), {u}.sum()])",
    "{t} + (z := {u}.sum())",
    "max({t}.sum(), {u}.sum())",
    "s[-1]",
    "{t}.new_zeros({t}.shape)",
    "float({t}.sum()) * {u}",
]
CONDITIONS = [
    "{t}.sum() > 0",
    "{t}.any()",
    "not {t}.any()",
    "b",
    "n > 1",
    "b and {t}.mean() > 0",
    "{t}.max() > 0 and {u}.min() < 0",
    "({t} > 0).all() or {u}.sum() < 0",
    "torch.isnan({t}).any()",
    "{t}.abs().max() > {u}.abs().max()",
    "bool({t}.sum())",
    "{t}.sum().item() > 0.5",
    "{t}.numel() > n",
    "(w := {t}.sum()) > 0",
    "{t}.sum()",
    "{t}.shape[0] > 1",
    "0 < {t}.sum() < 3",
    "{t}.norm() != 0",
]
STATEMENTS = [
    "{t}.add_(1)",
    "{t} += 1",
    "{t} *= {u}",
    "{t}[0] = 0",
    "note({t})",
    "s.append({t})",
    "s[0] = {t}",
    "print('seen', {u}.sum())",
    "print(b, n)",
    "n += 1",
    "n = int({t}.sum().clamp(0, 3))",
    "b = bool({t}.any())",
    "{t}, {u} = {u}, {t}",
    "assert {c}, 'no'",
    "z = {t}.view(-1)",
    "z = {t}",
    "{t}.unsqueeze_(0)",
    "del z",
    "{t}[{t} > 0] = 0.5",
    "y = {t}[{t} > 0].sum()",
]


@st.composite
def block(draw: st.DrawFn, depth: int, loop: bool) -> list[str]:
    """The lines of a block, indented by its parts alone."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statement(depth, loop))
    return lines


@st.composite
def filled(draw: st.DrawFn, templates: list[str]) -> str:
    text = draw(st.sampled_from(templates))
    condition = draw(filled(CONDITIONS)) if "{c}" in text else ""
    t, u = draw(st.sampled_from(TENSORS)), draw(st.sampled_from(TENSORS))
    return text.format(t=t, u=u, c=condition)


@st.composite
def statement(draw: st.DrawFn, depth: int, loop: bool) -> list[str]:
    kinds = ["assign"] * 5 + ["other"] * 2 + (["if"] * 4 + ["for", "try", "guard", "return"] if depth else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "assign":
        return [f"{draw(st.sampled_from(TENSORS))} = {draw(filled(VALUES))}"]
    if kind == "other":
        return [draw(filled(STATEMENTS))]
    if kind == "guard":
        return [f"if {draw(filled(CONDITIONS))}:", f"    raise ValueError({draw(filled(['{t}.shape', repr('bad')]))})"]
    if kind == "return":
        return [f"if {draw(filled(CONDITIONS))}:", f"    return {draw(filled(VALUES))}"]
    inner = indented(draw(block(depth - 1, loop or kind == "for")))
    if kind == "if":
        lines = [f"if {draw(filled(CONDITIONS))}:", *inner]
        if draw(st.booleans()):
            lines += [f"elif {draw(filled(CONDITIONS))}:", *indented(draw(block(depth - 1, loop)))]
        if draw(st.booleans()):
            lines += ["else:", *indented(draw(block(depth - 1, loop)))]
        return lines
    if kind == "for":
        jump = draw(st.sampled_from([[], [], ["break"], ["continue"]]))
        leave = [f"    if {draw(filled(CONDITIONS))}:", f"        {jump[0]}"] if jump else []
        return [f"for i in range({draw(st.integers(1, 3))}):", *leave, *inner]
    last = draw(st.sampled_from(["except (RuntimeError, IndexError):", "finally:"]))
    return ["try:", *inner, last, *indented(draw(block(0, loop)))]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def functions(draw: st.DrawFn) -> str:
    """A module with a function `f` of two tensors, a number, a flag and a list."""
    body = ["h = x + y", *draw(block(2, False)), f"return {draw(filled(['{t}', '({t}, {u})', '{t} * 2', '{t}, n']))}"]
    annotated = draw(st.sampled_from(["x, y, n, b, s", "x: torch.Tensor, y: torch.Tensor, n: int, b: bool, s: list"]))
    return HEADER + f"def f({annotated}):\n" + "\n".join(indented(body)) + "\n"


SPECIAL = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, math.inf, -math.inf, math.nan])


@st.composite
def arguments(draw: st.DrawFn) -> Callable[[], tuple[Any, ...]]:
    """A maker of fresh arguments: x and y broadcast, and may be empty, of integers, or share memory."""
    shape = draw(st.sampled_from([(3,), (2, 3), (1,), (0,), (2, 0), ()]))
    dtype = draw(st.sampled_from([torch.float32, torch.float32, torch.float64, torch.int64]))
    count = math.prod(shape)
    numbers = SPECIAL if dtype.is_floating_point else st.sampled_from([0, 1, -1, 2])
    given_x, given_y = (draw(st.lists(numbers, min_size=count, max_size=count)) for _ in range(2))
    n, b = draw(st.integers(0, 3)), draw(st.booleans())
    shared = draw(st.sampled_from([False, False, False, True]))

    def make() -> tuple[Any, ...]:
        x = torch.tensor(given_x, dtype=dtype).reshape(shape)
        y = x if shared else torch.tensor(given_y, dtype=dtype).reshape(shape)
        return x, y, n, b, [x.clone()]

    return make


def rewritten(text: str) -> str:
    """The text after all fixes, safe or not, of some passes."""
    for _ in range(PASSES):
        source = Source(text)
        fixes: list[Fix] = []
        for finding in smith.find(source):
            fix = smith.cut(source, finding)
            spans = [e.span for f in fixes for e in f.edits]
            if isinstance(fix, Fix) and not any(a.span.overlaps(b) for a in fix.edits for b in spans):
                fixes.append(fix)
        if not fixes:
            break
        text = smith.apply_edits(text, smith.compose(source, fixes))
    return text


def outcome(text: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call of `f` gives, raises, prints, and leaves in its arguments."""
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, "<generated>", "exec"), namespace)
    printed = io.StringIO()
    torch.manual_seed(0)
    with contextlib.redirect_stdout(printed):
        try:
            result = described(namespace["f"](*arguments), arguments)
        except Exception as error:  # whatever the original raises, the rewritten function has to raise
            result = f"{type(error).__name__}: {error}".replace("(1)", "")
    return result, described(arguments, ()), printed.getvalue()


def described(value: Any, arguments: tuple[Any, ...]) -> Any:
    """A value with everything that a caller can tell, bit for bit."""
    if isinstance(value, torch.Tensor):
        same = [i for i, a in enumerate(arguments) if value is a]
        shared = [
            i
            for i, a in enumerate(arguments)
            if isinstance(a, torch.Tensor) and a.untyped_storage().data_ptr() == value.untyped_storage().data_ptr() != 0
        ]
        bits = value.detach().contiguous().flatten().view(torch.uint8).tolist() if value.numel() else []
        return value.dtype, tuple(value.shape), value.stride(), bits, same, shared
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [described(v, arguments) for v in value]
    return type(value).__name__, repr(value)


def check(text: str, make: Callable[[], tuple[Any, ...]]) -> None:
    new = rewritten(text)
    old_outcome, new_outcome = outcome(text, make()), outcome(new, make())
    assert new_outcome == old_outcome, f"\n{text}\n# became\n{new}\n# for {make()}"


@given(functions(), arguments(), arguments())
@settings(max_examples=100)
def test_eager_runs_are_the_same(text: str, first: Any, second: Any) -> None:
    check(text, first)
    check(text, second)


@pytest.mark.slow
@given(functions(), arguments(), arguments())
@settings(max_examples=2000)
def test_eager_runs_are_the_same_for_many(text: str, first: Any, second: Any) -> None:
    check(text, first)
    check(text, second)
