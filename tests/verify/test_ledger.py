"""The cost model, on literal runs."""

from __future__ import annotations

import pytest

from refactor.verify.ledger import Ledger, Spread, Timing, ledger_of, with_timing
from refactor.verify.trace import Call, Entry, Frame, Recompile, Run, Step


def frames() -> list[Frame]:
    return [Frame(path="m.py", name="f", line=1, root=True)]


def test_a_run_that_never_compiles_again_costs_its_cold_start() -> None:
    run = Run(
        frames=frames(),
        entries=[Entry(frame=0, compile_id="0/0", seconds=0.5)],
        calls=[Call(steps=[Step(how="compiled", frame=0, entry=0)]), Call(steps=[Step(how="hit", frame=0, entry=0)])],
    )
    assert ledger_of(run) == Ledger(calls=2, rebuilds=0, rebuild_s=0.0, cold_s=0.5)


def test_a_failed_guard_costs_what_its_call_compiled_again() -> None:
    run = Run(
        frames=[*frames(), Frame(path="m.py", name="f", line=1, parent=0, resumes_at=3)],
        entries=[
            Entry(frame=0, compile_id="0/0", seconds=0.5),
            Entry(frame=0, compile_id="0/1", seconds=0.2),
            Entry(frame=1, compile_id="1/0", seconds=0.1),
        ],
        recompiles=[Recompile(frame=0, compile_id="0/1", entry=1, call=1, seconds=0.2)],
        calls=[
            Call(steps=[Step(how="compiled", frame=0, entry=0)]),
            Call(
                steps=[
                    Step(how="recompiled", frame=0, entry=1, recompile=0),
                    Step(how="compiled", frame=1, entry=2),
                ]
            ),
        ],
    )
    ledger = ledger_of(run)
    assert (ledger.calls, ledger.rebuilds, ledger.failure_rate) == (2, 1, 0.5)
    assert ledger.rebuild_s == pytest.approx(0.3)
    assert ledger.cold_s == pytest.approx(0.5)


def test_what_is_compiled_beside_a_failed_guard_is_cold() -> None:
    """In the first call a helper is compiled twice; what comes after the caller's break has nothing to do with it."""
    run = Run(
        frames=[
            *frames(),
            Frame(path="m.py", name="helper", line=9),
            Frame(path="m.py", name="f", line=1, parent=0, resumes_at=3),
        ],
        entries=[
            Entry(frame=0, compile_id="0/0", seconds=0.5),
            Entry(frame=1, compile_id="1/0", seconds=0.3),
            Entry(frame=1, compile_id="1/1", seconds=0.2),
            Entry(frame=2, compile_id="2/0", seconds=0.1),
        ],
        recompiles=[Recompile(frame=1, compile_id="1/1", entry=2, call=0, seconds=0.2)],
        calls=[
            Call(
                steps=[
                    Step(how="compiled", frame=0, entry=0),
                    Step(how="compiled", frame=1, entry=1),
                    Step(how="recompiled", frame=1, entry=2, recompile=0),
                    Step(how="compiled", frame=2, entry=3),
                ]
            )
        ],
    )
    ledger = ledger_of(run)
    assert (ledger.rebuilds, ledger.failure_rate) == (1, 1.0)
    assert ledger.rebuild_s == pytest.approx(0.2)
    assert ledger.cold_s == pytest.approx(0.9)


def test_two_failed_guards_of_one_call_are_one_failed_call() -> None:
    run = Run(
        frames=[*frames(), Frame(path="m.py", name="g", line=9)],
        recompiles=[Recompile(frame=frame, compile_id=f"{frame}/1", call=1, seconds=0.2) for frame in (0, 1)],
        calls=[Call(), Call(), Call(), Call()],
    )
    ledger = ledger_of(run)
    assert (ledger.rebuilds, ledger.failed_calls, ledger.failure_rate) == (2, 1, 0.25)
    assert ledger.rebuild_s == pytest.approx(0.4)


def test_recompiles_of_calls_that_are_not_listed_count_too() -> None:
    run = Run(
        frames=frames(),
        entries=[Entry(frame=0, compile_id=f"0/{number}", seconds=0.1) for number in range(3)],
        recompiles=[Recompile(frame=0, compile_id=f"0/{number}", entry=number, seconds=0.1) for number in (1, 2)],
        calls=[Call(steps=[Step(how="compiled", frame=0, entry=0)])],
        more_calls=3,
    )
    ledger = ledger_of(run)
    assert (ledger.calls, ledger.rebuilds, ledger.failure_rate) == (4, 2, 0.5)
    assert ledger.rebuild_s == pytest.approx(0.1)
    assert ledger.cold_s == pytest.approx(0.1)


def test_the_average_is_the_sum_of_its_terms() -> None:
    timing = Timing(guard_us=20.0, call_us=Spread(low=90.0, middle=100.0, high=150.0, samples=300))
    ledger = with_timing(Ledger(calls=10, failed_calls=1, rebuilds=2, rebuild_s=0.5), timing)
    assert ledger.run_us == Spread(low=70.0, middle=80.0, high=130.0, samples=300)
    assert ledger.steady_us == 100.0
    assert ledger.average_us == 100.0 + 0.1 * 500_000


def test_without_a_steady_call_there_is_no_average() -> None:
    assert with_timing(Ledger(calls=10), Timing(guard_us=3.0)).average_us is None


def test_a_spread_is_of_percentiles() -> None:
    assert Spread.of(range(101)) == Spread(low=10, middle=50, high=90, samples=101)
    assert Spread.of([]) is None


def test_a_rebuild_without_a_recorder_is_what_counts() -> None:
    failed = Recompile(frame=0, compile_id="0/1", entry=1, call=1, seconds=0.9)
    run = Run(calls=[Call(steps=[]), Call(steps=[])], recompiles=[failed])
    assert ledger_of(run, [2.0, 0.4]).rebuild_s == 0.4
    assert ledger_of(run, [2.0]).rebuild_s == 0.9
