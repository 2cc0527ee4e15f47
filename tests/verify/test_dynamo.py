from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch

from refactor.verify.dynamo import Meter
from refactor.verify.verdict import Counts


def fine(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def branch(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return x + 1
    return x - 1


def printing(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("a")
    return y * 2


def loop(x: torch.Tensor) -> torch.Tensor:
    for _ in range(2):
        x = x + 1
        print("a")
    return x


def counted(function: Callable[..., object], calls: list[tuple[object, ...]]) -> Counts:
    meter = Meter()
    compiled = torch.compile(function, backend=meter.backend)
    with meter.listening():
        for args in calls:
            compiled(*args)

    def again() -> None:
        for args in calls:
            compiled(*args)

    meter.profiled(again, len(calls))
    return meter.counts()


ONES = torch.ones(3)


def line_of(function: Callable[..., object], offset: int) -> int:
    return function.__code__.co_firstlineno + offset


def test_one_graph() -> None:
    assert counted(fine, [(ONES,)]) == Counts(graphs=1, captured_ratio=1.0, uncaptured=0.0)


def test_data_dependent_branch() -> None:
    counts = counted(branch, [(ONES,), (-ONES,)])
    assert (counts.graphs, counts.break_events, counts.skipped_frames) == (3, 1, 0)
    assert [(site.path, site.line) for site in counts.break_sites] == [(__file__, line_of(branch, 1))]
    assert counts.captured_ratio is not None
    assert 0.5 < counts.captured_ratio < 1


def test_print(capsys: pytest.CaptureFixture[str]) -> None:
    counts = counted(printing, [(ONES,)])
    assert (counts.graphs, counts.skipped_frames, counts.captured_ratio) == (2, 0, 1.0)
    assert [site.line for site in counts.break_sites] == [line_of(printing, 2)]


def test_skipped_loop(capsys: pytest.CaptureFixture[str]) -> None:
    counts = counted(loop, [(ONES,)])
    assert (counts.graphs, counts.skipped_frames, counts.captured_ratio) == (0, 1, 0.0)
    assert [site.line for site in counts.break_sites] == [line_of(loop, 3)]


def test_recompile_limit() -> None:
    def tagged(x: torch.Tensor, tag: str) -> torch.Tensor:
        return x + len(tag)

    counts = counted(tagged, [(ONES, f"t{number}") for number in range(12)])
    assert (counts.graphs, counts.recompiles >= 7, counts.limit_hits) == (8, True, 1)


def test_places_are_mapped() -> None:
    meter = Meter(lambda path: path.replace("old.py", "model.py"))
    text = "Graph break in user code at /a/old.py:7\nGraph Break Reason: because\n"
    meter.events.append(((0, 0), text))
    assert [(s.path, s.line, s.reason) for s in meter.counts().break_sites] == [("/a/model.py", 7, "because")]


def test_one_place_in_two_frames_is_one_site_and_two_events() -> None:
    meter = Meter()
    for frame in range(2):
        meter.events.append(((frame, 0), "Graph break in user code at a.py:7\nReason: because\n"))
    assert (len(meter.counts().break_sites), meter.counts().break_events) == (1, 2)


def test_a_copied_meter_counts_in_one_place() -> None:
    meter = Meter()
    assert copy.deepcopy(meter) is meter
