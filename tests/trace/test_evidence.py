"""What recorded runs make of findings, facts and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from refactor.engine import Options, inspect, rewrite
from refactor.errors import UserError
from refactor.evidence import evidence_for
from refactor.transforms.facts import Facts
from refactor.transforms.model import Level, RuleSettings
from refactor.transforms.observed import Calls, Observed, Seen
from refactor.transforms.source import Source
from refactor.verify.replay import recorded_calls
from refactor.verify.trace import (
    BreakSite,
    Frame,
    Guard,
    Place,
    Recompile,
    Run,
    Sample,
    Trace,
    Variation,
    Way,
    encoded,
)
from refactor.verify.values import Construction, Mapping, Object, Opaque, Plain, Ref, Tensor, Value

TEXT = """\
import torch


@torch.compile
def first(x):
    y = torch.sin(x)
    if torch.sum(y) > 0:
        return y + 1
    return y - 1


@torch.compile
def second(x):
    y = torch.cos(x)
    if torch.sum(y) > 1:
        return y + 1
    return y - 1
"""
CODES = frozenset({"TR101", "TR102", "TR103", "TR501", "TR502", "TR503"})


def written(tmp_path: Path, run: Run, text: str = TEXT) -> tuple[Path, tuple[str, ...]]:
    """The model's file, and the trace's, in which `MODEL` stands for the former."""
    model, file = tmp_path / "model.py", tmp_path / "trace.json"
    model.write_text(text, encoding="utf-8")
    file.write_bytes(encoded(Trace(runs=[run])).replace(b"MODEL", str(model).encode()))
    return model, (str(file),)


def options(model: Path, files: tuple[str, ...], only: bool = False, verify: str = "off") -> Options:
    return Options(
        select=CODES,
        complete=False,
        verify=verify,  # type: ignore[arg-type]
        path=str(model),
        evidence=files,
        only_observed=only,
        unsafe_fixes=True,
        cache=False,
    )


BROKEN = Run(breaks=[BreakSite("MODEL", 7, "Data-dependent branching", events=3)])


def test_check_says_what_was_seen_and_how_often(tmp_path: Path) -> None:
    model, files = written(tmp_path, BROKEN)
    _, found = inspect(TEXT, "model.py", options(model, files))
    assert [(item.line, item.seen) for item in found] == [(7, 3), (15, 0)]
    assert [item.message.rpartition(" [")[2] for item in found] == ["seen 3 times]", "not seen]"]


def test_only_what_was_seen_is_changed(tmp_path: Path) -> None:
    model, files = written(tmp_path, BROKEN)
    both = rewrite(TEXT, "model.py", options(model, files))
    one = rewrite(TEXT, "model.py", options(model, files, only=True))
    assert [item.line for item, _ in both.fixes] == [7, 15]
    assert [item.line for item, _ in one.fixes] == [7]
    assert [(left.line, left.reason) for left in one.left] == [(15, "did no harm in the recorded runs")]


def test_what_was_seen_goes_first(tmp_path: Path) -> None:
    model, files = written(tmp_path, Run(breaks=[BreakSite("MODEL", 15, "Data-dependent branching", events=1)]))
    assert [item.line for item, _ in rewrite(TEXT, "model.py", options(model, files)).fixes] == [15, 7]


def test_a_break_in_another_file_is_laid_to_the_line_that_leads_there(tmp_path: Path) -> None:
    stacks = [[Place("MODEL", 7, "first"), Place("helper.py", 9, "helper")], [Place("MODEL", 15, "second")]]
    ways = [Way(stack, events) for stack, events in zip(stacks, (2, 5), strict=True)]
    model, files = written(tmp_path, Run(breaks=[BreakSite("helper.py", 9, "because", ways=ways, events=7)]))
    _, found = inspect(TEXT, "model.py", options(model, files))
    assert [item.seen for item in found] == [2, 5]


def test_other_files_with_the_same_lines_say_nothing(tmp_path: Path) -> None:
    model, files = written(tmp_path, Run(breaks=[BreakSite("/elsewhere/model.py", 7, "because", events=3)]))
    _, found = inspect(TEXT, "model.py", options(model, files))
    assert [item.seen for item in found] == [0, 0]


@pytest.mark.parametrize("content", ["", "{}", '{"schema": 7}'])
def test_what_is_no_trace_is_one_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "trace.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="expected a trace"):
        inspect(TEXT, "model.py", options(tmp_path / "model.py", (str(file),)))


COUNTING = """\
import torch


class Served(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x):
        self.count += 1
        return x * 2
"""


def recompiled(source: str, line: int) -> Run:
    failed = [Guard("0/0", f"{source} == 0", source, "0", "1", "MODEL", line)]
    return Run(
        frames=[Frame("MODEL", "Served.forward", 9, root=True)],
        recompiles=[Recompile(0, "0/1", failed=failed), Recompile(0, "0/2", failed=failed)],
    )


@pytest.mark.parametrize(("source", "line", "seen"), [("self.count", 10, 2), ("self.count", 3, 0), ("x.dtype", 0, 0)])
def test_a_counter_is_seen_by_its_guards(tmp_path: Path, source: str, line: int, seen: int) -> None:
    model, files = written(tmp_path, recompiled(source, line), COUNTING)
    _, found = inspect(COUNTING, "model.py", options(model, files))
    assert [(item.code, item.seen) for item in found] == [("TR502", seen)]


# Facts

UNKNOWN = "import torch\n\n\n@torch.compile\ndef f(x, y):\n    if x:\n        return y\n    return y + 1\n"


def facts_with(text: str, seen: dict[str, Seen], name: str = "f", count: int = 3) -> Facts:
    observed = Observed({name: Calls(count, True, seen)}, "key")
    return Facts(Source(text, "model.py"), RuleSettings(observed=observed))


@pytest.mark.parametrize(
    ("kinds", "tensor"),
    [
        ({"tensor"}, Level.OBSERVED),
        ({"tensor", "None"}, Level.OBSERVED),
        ({"tensor", "int"}, Level.UNKNOWN),
        ({"int"}, Level.NO),
        ({"None"}, Level.UNKNOWN),
        ({"other"}, Level.UNKNOWN),
    ],
)
def test_kinds_are_those_of_all_recorded_calls(kinds: set[str], tensor: Level) -> None:
    facts = facts_with(UNKNOWN, {"x": Seen(frozenset(kinds))})
    test = facts.names.functions()[0].body[0].test  # type: ignore[attr-defined]
    assert facts.kinds.is_tensor(test).level is tensor


def test_what_the_source_proves_stays() -> None:
    text = "import torch\n\n\ndef f(x: torch.Tensor):\n    return x\n"
    facts = facts_with(text, {"x": Seen(frozenset({"int"}))})
    returned = facts.names.functions()[0].body[0].value  # type: ignore[attr-defined]
    assert facts.kinds.is_tensor(returned).level is Level.PROVED


BAKED = """\
import math

import torch


def f(x, t: float, k: float):
    return x * math.exp(-t) + math.exp(k)
"""


def baked(tmp_path: Path, varies: list[str], root: bool = True) -> list[tuple[int, Level]]:
    arguments: dict[str, Value] = {
        "x": Tensor(shape=(2,), dtype="float32"),
        "t": Plain(type="float", text="1.0"),
        "k": Plain(type="float", text="1.0"),
    }
    frame = Frame("MODEL", "f", 6, root=root, varies=[Variation(name, "value") for name in varies])
    model, files = written(tmp_path, Run(frames=[frame], samples=[Sample(0, arguments=arguments, times=4)]), BAKED)
    _, found = inspect(BAKED, "model.py", options(model, files))
    return [(item.column, item.evidence.level) for item in found if item.code == "TR503"]


def test_numbers_are_found_that_varied(tmp_path: Path) -> None:
    assert baked(tmp_path, ["t"]) == [(15, Level.OBSERVED)]


def test_numbers_that_stayed_the_same_are_left_alone(tmp_path: Path) -> None:
    assert baked(tmp_path, []) == []


SERVING = """\
import torch


class Model(torch.nn.Module):
    @torch.compiler.disable(recursive=False)
    def forward(self, x, y):
        return self._forward(x, y, flag=bool(x.any()))

    def _forward(self, x, y, *, flag):
        return x * 2 if flag else y.sum() + x
"""


def test_sizes_that_varied_are_marked(tmp_path: Path) -> None:
    seen = {"x": Seen(frozenset({"tensor"}), (0, 2)), "y": Seen(frozenset({"tensor"}), (2,))}
    observed = Observed({"Model.forward": Calls(5, True, seen)}, "key")
    result = rewrite(
        SERVING,
        "model.py",
        Options(select=frozenset({"TR501"}), complete=False, verify="off", settings=RuleSettings(observed=observed)),
    )
    assert "        _varying(0, x)\n        _varying(2, x, y)\n        return self._forward(" in result.new


def test_sizes_that_stayed_the_same_are_left_alone() -> None:
    seen = {"x": Seen(frozenset({"tensor"})), "y": Seen(frozenset({"tensor"}))}
    observed = Observed({"Model.forward": Calls(5, True, seen)}, "key")
    settings = RuleSettings(observed=observed)
    assert not rewrite(
        SERVING, "model.py", Options(select=frozenset({"TR501"}), complete=False, verify="off", settings=settings)
    ).changed


# Calls from what was recorded

MODEL_OBJECT = Object(
    type="model:Model",
    state={"training": Plain(type="bool", text="False"), "rate": Plain(type="float", text="0.5")},
    is_module=True,
)
X = Tensor(shape=(2, 3), dtype="float32", low=-1.0, high=3.0)


def calls_of(tmp_path: Path, sample: Sample, held: Object = MODEL_OBJECT, name: str = "Model.forward") -> list[str]:
    run = Run(frames=[Frame("MODEL", name, 3, root=True)], samples=[sample], objects=[held])
    model, files = written(tmp_path, run)
    found = recorded_calls(files, str(model), "model")
    return [text for one in found.values() for text in (one.build, *(call.text for call in one.calls))]


UNIFORM = "((torch.rand((2, 3), generator=torch.Generator().manual_seed(1)) * 4.0) + -1.0)"


def test_a_function_is_called_as_it_was(tmp_path: Path) -> None:
    arguments: dict[str, Value] = {"x": X, "n": Plain(type="int", text="3")}
    sample = Sample(0, arguments=arguments, positional=1)
    assert calls_of(tmp_path, sample, name="f") == ["module.f", f"(({UNIFORM},), {{'n': 3}})"]


def test_an_object_is_constructed_as_it_was(tmp_path: Path) -> None:
    made = Construction(arguments={"rate": Plain(type="float", text="0.5")}, positional=1)
    held = Object(type="model:Model", is_module=True, made=made)
    sample = Sample(0, arguments={"self": Ref(0), "x": X}, positional=2, training=False)
    assert calls_of(tmp_path, sample, held) == ["module.Model(rate=0.5).eval()", f"(({UNIFORM},), {{}})"]


def test_an_object_whose_construction_was_not_seen_is_made_from_its_state(tmp_path: Path) -> None:
    build, _ = calls_of(tmp_path, Sample(0, arguments={"self": Ref(0), "x": X}, positional=2))
    state = "{'training': False, 'rate': 0.5}"
    made = "(lambda o: (torch.nn.Module.__init__(o), o.__dict__.update(" + state + "), o)[-1])"
    assert build == f"{made}(object.__new__(module.Model))"


def test_the_rest_of_the_arguments_is_passed_on(tmp_path: Path) -> None:
    arguments: dict[str, Value] = {
        "x": X,
        "rest": Opaque(type="builtins:tuple"),
        "options": Mapping(items=[(Plain(type="str", text="'k'"), Plain(type="int", text="1"))]),
    }
    sample = Sample(0, arguments=arguments, positional=1, star="rest", double_star="options")
    assert calls_of(tmp_path, sample, name="f") == ["module.f", f"(({UNIFORM},), {{'k': 1}})"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Tensor(shape=(2,), dtype="int64", low=2, high=5), "torch.randint(2, 6, (2,), generator"),
        (Tensor(shape=(2,), dtype="bool", low=1, high=1), "torch.full((2,), True, dtype=torch.bool)"),
        (Tensor(shape=(2, 3), dtype="int64", low=0, high=2, pattern="counting"), "torch.arange(3, dtype=torch.int64)"),
        (Tensor(shape=(2,), dtype="float32", values=[1.0, "nan"]), 'torch.tensor([1.0, float("nan")], dtype'),
        (Tensor(shape=(2, 3), dtype="float32", strides="transposed"), "torch.randn((3, 2), generator"),
    ],
)
def test_tensors_are_drawn_as_they_were(tmp_path: Path, value: Tensor, text: str) -> None:
    _, call = calls_of(tmp_path, Sample(0, arguments={"x": value}, positional=1), name="f")
    assert text in call


@pytest.mark.parametrize(
    "value",
    [
        Opaque(type="numpy:ndarray", why="is described by no attributes"),
        Tensor(shape=(2,), dtype="complex64"),
        Tensor(shape=(2,), dtype="float32", device="meta"),
    ],
)
def test_what_is_not_known_is_not_called(tmp_path: Path, value: Value) -> None:
    assert calls_of(tmp_path, Sample(0, arguments={"x": value}, positional=1), name="f") == []


def test_evidence_of_an_unparsable_text_is_none(tmp_path: Path) -> None:
    _, files = written(tmp_path, BROKEN)
    assert evidence_for(str(tmp_path / "other.py"), "def", files).sightings == ()
