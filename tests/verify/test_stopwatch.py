"""What counts when calls are timed; never how long they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

from refactor.verify.observe import Call
from refactor.verify.stopwatch import Clock, Timed, gain, race


def cut(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    torch._dynamo.graph_break()
    return x * 2


def whole(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * 2


def refuses(x: torch.Tensor) -> torch.Tensor:
    raise ValueError(x.shape)


@pytest.fixture
def clock() -> Iterator[Clock]:
    torch._dynamo.reset()
    clock = Clock("eager")
    with clock.listening():
        yield clock


def calls() -> list[Call]:
    return [([torch.ones(3)], {}), ([torch.zeros(3)], {})]


def compiled(function: Callable[..., object], clock: Clock) -> Timed:
    return Timed(torch.compile(function, backend=clock.backend), calls, clock)


def test_a_call_that_compiles_is_no_sample(clock: Clock) -> None:
    timed = compiled(whole, clock)
    timed.round(0)
    assert (len(timed.samples), timed.rounds) == (1, {})
    timed.round(1)
    assert (len(timed.samples), list(timed.rounds)) == (3, [1])


def test_what_lies_between_two_graphs_is_a_gap(clock: Clock) -> None:
    timed = compiled(cut, clock)
    for number in range(3):
        timed.round(number)
    (gap,) = timed.gaps
    assert gap.crossings == 6
    assert gap.us is not None
    assert gap.us > 0


def test_a_whole_graph_has_no_gap(clock: Clock) -> None:
    timed = compiled(whole, clock)
    timed.round(0)
    assert timed.gaps == []


def test_a_call_that_raises_is_no_sample() -> None:
    timed = Timed(refuses, calls)
    timed.round(0)
    assert (timed.samples, timed.rounds, timed.call_us) == ([], {}, None)


def test_calls_can_be_left_out() -> None:
    timed = Timed(whole, calls, left_out=frozenset((0,)))
    timed.round(0)
    assert len(timed.samples) == 1


def test_each_program_has_its_rounds(clock: Clock) -> None:
    first, second = compiled(cut, clock), compiled(whole, clock)
    race([first, second], limit_s=0.0)
    race([first, second], limit_s=0.0)
    assert first.rounds.keys() == second.rounds.keys() == {0}
    ratio = gain(first, second)
    assert ratio is not None
    assert ratio.samples == 1


def test_guards_are_told_for_compiled_calls_only(clock: Clock) -> None:
    timed = compiled(whole, clock)
    timed.warm_up()
    told = timed.guard_us()
    assert told is None or told > 0
    assert Timed(whole, calls).guard_us() is None
