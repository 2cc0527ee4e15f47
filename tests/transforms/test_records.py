"""Where log records and warnings say that they come from, after TR301."""

from __future__ import annotations

import logging
import sys
import types
import warnings
from collections.abc import Iterator

import pytest

from refactor.transforms import smith
from refactor.transforms.source import Source

TEXT = """\
import logging
import warnings

import torch

logger = logging.getLogger("test_records")


def outer(x: torch.Tensor) -> torch.Tensor:
    return inner(x) * 2


def inner(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    logger.warning("sum %.1f", y.sum())  # first
    logger.info(
        "shape %s", tuple(y.shape), stacklevel=2
    )
    if y.max() > 1:
        warnings.warn("large", RuntimeWarning)  # second
    return y
"""


class Records(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(record)


@pytest.fixture
def rewritten() -> Iterator[types.ModuleType]:
    source = Source(TEXT)
    fixes = [smith.cut(source, f) for f in smith.find(source, {"TR301"})]
    text = smith.apply_edits(TEXT, smith.compose(source, fixes))  # type: ignore[arg-type]
    module = types.ModuleType("rewritten_records")
    module.__file__ = "rewritten_records.py"
    module.__dict__["text"] = text.splitlines()
    sys.modules[module.__name__] = module
    exec(compile(text, module.__file__, "exec"), module.__dict__)
    yield module
    del sys.modules[module.__name__]


@pytest.fixture
def records(rewritten: types.ModuleType) -> Iterator[list[logging.LogRecord]]:
    handler = Records()
    rewritten.logger.addHandler(handler)
    rewritten.logger.setLevel(logging.INFO)
    rewritten.logger.propagate = False
    yield handler.seen
    rewritten.logger.removeHandler(handler)


def test_eager_records_and_warnings_name_the_original_place(
    rewritten: types.ModuleType, records: list[logging.LogRecord]
) -> None:
    import torch

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        rewritten.outer(torch.tensor([1.0, 2.0]))
    assert [(r.levelname, r.getMessage(), r.funcName) for r in records] == [
        ("WARNING", "sum 3.0", "inner"),
        ("INFO", "shape (2,)", "outer"),
    ]
    lines = [rewritten.text[r.lineno - 1].strip() for r in records]
    assert lines == ["_log_sum(y.sum())", "return inner(x) * 2"]
    (warning,) = warned
    assert (warning.category, str(warning.message)) == (RuntimeWarning, "large")
    assert warning.filename == "rewritten_records.py"
    assert rewritten.text[warning.lineno - 1].strip() == "_warn_large(y.max() > 1)"


def test_compiled_records_and_warnings_name_the_module(
    rewritten: types.ModuleType, records: list[logging.LogRecord]
) -> None:
    import torch

    torch._dynamo.reset()
    compiled = torch.compile(rewritten.outer, backend="eager", fullgraph=True)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for scale in (1.0, 2.0):
            compiled(torch.tensor([1.0, 2.0]) * scale)
    assert [r.getMessage() for r in records] == ["sum 3.0", "shape (2,)", "sum 6.0", "shape (2,)"]
    assert {r.pathname for r in records if r.levelname == "WARNING"} == {"rewritten_records.py"}
    assert [w.filename for w in warned if w.category is RuntimeWarning] == ["rewritten_records.py"] * 2
