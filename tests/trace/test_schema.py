"""The file's format."""

from __future__ import annotations

import pytest

from refactor.verify.trace import (
    BreakSite,
    Call,
    Entry,
    Frame,
    Run,
    Sample,
    Step,
    Trace,
    TraceError,
    Variation,
    decoded,
    encoded,
    merged,
)
from refactor.verify.values import Many, Mapping, Plain, Ref, Tensor

ONE = Plain(type="int", text="1")
RUN = Run(
    frames=[Frame(path="a.py", name="f", line=3, entries=[0])],
    entries=[Entry(frame=0, compile_id="0/0", varies=[Variation(path="x.shape[0]", kind="size", values=["2", "3"])])],
    breaks=[BreakSite(path="a.py", line=4, reason="Data-dependent branching", registry="GB0170")],
    calls=[Call(steps=[Step(how="compiled", frame=0, entry=0)])],
    samples=[
        Sample(
            frame=0,
            arguments={
                "x": Tensor(shape=(2, 3), dtype="float32", low=-1.5, high=2.0),
                "y": Many(type="list", items=[ONE, Mapping(items=[(Plain(type="str", text="'a'"), Ref(object=0))])]),
            },
        )
    ],
)


def test_a_trace_survives_the_way_into_a_file() -> None:
    trace = Trace(version="1", runs=[RUN])
    assert decoded(encoded(trace)) == trace


def test_unknown_keys_are_ignored() -> None:
    assert decoded(b'{"schema": 1, "colour": "red", "runs": [{"pid": 7, "smell": 2}]}').runs[0].pid == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[1]", "expected a trace"),
        (b"no json", "expected a trace"),
        (b"{}", "expected a trace"),
        (b'{"schema": 99}', "expected a trace of schema 1, got 99"),
        (b'{"schema": 1, "runs": [{"pid": "x"}]}', "expected a trace"),
    ],
)
def test_what_is_no_trace_is_told(text: bytes, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        decoded(text)


def test_merging_keeps_every_run() -> None:
    two = merged([Trace(version="1", runs=[RUN]), Trace(version="2", runs=[Run(rank=1), Run(rank=2)])])
    assert [run.rank for run in two.runs] == [None, 1, 2]
    assert two.version == "2"
