from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from refactor.verify.changes import CHANGES, leaves, replaced, spell
from refactor.verify.draws import CallDraw, Change, Draw, InapplicableError
from refactor.verify.inputs import Catalogue, compared_constants
from refactor.verify.menu import Constants
from refactor.verify.observe import BetweenError
from refactor.verify.shrink import shrunk


def applied(change: Change, *args: Any, **kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
    draw = Draw((CallDraw(0, (change,)),))
    return next(draw.sequence([(list(args), kwargs)]))


def test_a_draw_survives_json() -> None:
    change = Change("place", ("args", 0, "k"), [math.inf, "first"])
    draw = Draw((CallDraw(1, (change,)), CallDraw(0)), ("eval",), "off", True, True, True)
    assert Draw.from_json(draw.to_json()) == draw


def test_leaves_and_replacing() -> None:
    value = {"args": [1, (2, {"a": 3})], "kwargs": {}}
    assert [spell(path) for path, _ in leaves(value)] == ["args[0]", "args[1][0]", "args[1][1]['a']"]
    assert replaced(value, ("args", 1, 1, "a"), 9) == {"args": [1, (2, {"a": 9})], "kwargs": {}}


X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
FIRST = ("args", 0)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Change("fill", FIRST, 2.0), [[2.0, 2.0], [2.0, 2.0]]),
        (Change("place", FIRST, [9.0, "first"]), [[9.0, 2.0], [3.0, 4.0]]),
        (Change("place", FIRST, [9.0, "last"]), [[1.0, 2.0], [3.0, 9.0]]),
        (Change("scale", FIRST, -1.0), [[-1.0, -2.0], [-3.0, -4.0]]),
        (Change("halves", FIRST), [[-1.5, -1.0], [-0.5, 0.0]]),
        (Change("resize", (), [2, 1, "first"]), [[1.0, 2.0]]),
        (Change("resize", (), [2, 3, "first"]), [[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]),
        (Change("resize", (), [2, 1, "every"]), [[1.0]]),
        (Change("resize", (), [2, 0, "first"]), []),
        (Change("rank", FIRST, 1), [[[1.0, 2.0], [3.0, 4.0]]]),
        (Change("rank", FIRST, -1), [1.0, 2.0]),
    ],
)
def test_changes_of_a_tensor(change: Change, expected: list[Any]) -> None:
    args, _ = applied(change, X.clone())
    assert args[0].tolist() == expected


@pytest.mark.parametrize("how", ["transposed", "gaps"])
def test_another_layout_has_the_same_values(how: str) -> None:
    args, _ = applied(Change("layout", FIRST, how), X.clone())
    assert torch.equal(args[0], X)
    assert not args[0].is_contiguous()


def test_requires_grad_is_kept_and_can_be_asked_for() -> None:
    args, _ = applied(Change("scale", FIRST, 2.0), X.clone().requires_grad_())
    assert args[0].requires_grad
    assert args[0].is_leaf
    args, _ = applied(Change("grad", (), True), X.clone())
    assert args[0].requires_grad


def test_changes_of_the_call() -> None:
    assert applied(Change("set", ("kwargs", "n"), 0), n=3) == ([], {"n": 0})
    assert applied(Change("named", (), ["a", "b"]), 1, 2) == ([], {"a": 1, "b": 2})
    assert applied(Change("drop", ("kwargs", "n")), 1, n=3) == ([1], {})
    assert applied(Change("items", FIRST, "fewer"), [1, 2]) == ([[1]], {})
    assert applied(Change("container", FIRST), [1, 2]) == ([(1, 2)], {})
    args, _ = applied(Change("share", FIRST, ["args", 1]), X.clone(), X.clone())
    assert args[0] is args[1]


def test_a_change_that_does_not_fit_says_so() -> None:
    with pytest.raises(InapplicableError):
        applied(Change("drop", ("kwargs", "n")), 1)


def test_a_reused_tensor_is_overwritten_only_when_its_call_is_due() -> None:
    calls = Draw((CallDraw(0), CallDraw(1)), reuse=True).sequence([([torch.zeros(2)], {}), ([torch.ones(2)], {})])
    first, _ = next(calls)
    kept = first[0]
    assert kept.tolist() == [0.0, 0.0]
    second, _ = next(calls)
    assert second[0] is kept
    assert kept.tolist() == [1.0, 1.0]


def test_constants_of_comparisons() -> None:
    text = "def f(x, m):\n    y = 99\n    return x > 2.5 or -3 <= x or m == 'sum' or x is None or x == True\n"
    assert compared_constants(text) == Constants((2.5, -3), ("sum",))


def sample(x: torch.Tensor, n: int = 3, mode: str = "sum") -> torch.Tensor:
    return x


def test_the_catalogue_is_the_same_each_time_and_knows_its_kinds() -> None:
    text = "def f(x):\n    return x > 2.5 or m == 'mean'\n"
    catalogues = [Catalogue.of(text, sample, [([X.clone()], {})]) for _ in range(2)]
    assert catalogues[0] == catalogues[1]
    changes = set(map(repr, catalogues[0].changes[0]))
    for expected in (
        Change("place", FIRST, [math.nan, "first"]),
        Change("fill", FIRST, 2.5),
        Change("resize", (), [2, 0, "first"]),
        Change("cast", (), "bfloat16"),
        Change("set", ("kwargs", "n"), 0),
        Change("set", ("kwargs", "mode"), "mean"),
        Change("named", (), ["x", "n", "mode"]),
        Change("layout", FIRST, "transposed"),
    ):
        assert repr(expected) in changes
    assert {change.kind for change in catalogues[0].changes[0]} <= set(CHANGES)


def test_random_draws_are_the_same_each_time() -> None:
    catalogue = Catalogue.of("", sample, [([X.clone()], {}), ([X * 2], {})])
    runs: list[list[Draw]] = [[], []]
    for run in runs:
        catalogue.random(lambda draw, run=run: run.append(draw) or True, 15, 3)  # type: ignore[misc]
    assert runs[0] == runs[1]
    assert len(runs[0]) > 5


def test_shrinking_keeps_what_matters() -> None:
    needed = Change("fill", FIRST, 0.0)
    other = Change("grad", (), True)
    draw = Draw((CallDraw(0, (other, needed)), CallDraw(1), CallDraw(2)), ("eval",), "off", True, False, True)
    small = shrunk(draw, lambda d: any(needed in call.changes for call in d.calls))
    assert small == Draw((CallDraw(0, (needed,)),))


def test_shrinking_has_a_limit() -> None:
    asked = []
    shrunk(Draw(tuple(CallDraw(0) for _ in range(50))), lambda d: asked.append(d) or True, attempts=5)  # type: ignore[func-returns-value]
    assert len(asked) == 5


def test_calls_have_modes_of_their_own() -> None:
    draw = Draw(tuple(CallDraw(0, mode=mode) for mode in ("off", "on", "inference", "autocast")))
    given = [([torch.ones(2)], {})]
    seen = [
        (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu"))
        for _ in draw.sequence(given)
    ]
    assert seen == [(False, False, False), (True, False, False), (False, True, False), (True, False, True)]
    assert Draw.from_json(draw.to_json()) == draw
    assert draw.words().startswith("given call 0 under no_grad, then given call 0, then given call 0 under inference")


def test_a_copy_takes_the_place_of_an_object_between_calls() -> None:
    class Kept(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.items = [torch.zeros(1)]

    kept = Kept()
    first = kept.items
    list(Draw((CallDraw(0), CallDraw(0)), between="copy").sequence([([], {})], kept))
    assert kept.items is not first
    assert torch.equal(kept.items[0], first[0])


def test_a_failure_between_calls_is_told() -> None:
    kept = torch.nn.Module()
    kept.loss = torch.ones(1, requires_grad=True) * 2
    with pytest.raises(BetweenError, match="copy: RuntimeError"):
        list(Draw((CallDraw(0), CallDraw(0)), between="copy").sequence([([], {})], kept))
