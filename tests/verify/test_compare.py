from __future__ import annotations

import pytest
import torch

from refactor.verify.compare import Difference, Rules, declared_by, differences, identical
from refactor.verify.observe import Failure, Trace

NAN = float("nan")


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ([1.0, NAN], [1.0, NAN], True),
        ([0.0], [-0.0], False),
        ([-0.0], [-0.0], True),
        ([NAN], [1.0], False),
        ([1.0], [1.0000001], False),
        ([float("inf")], [float("-inf")], False),
    ],
)
def test_bits(old: list[float], new: list[float], same: bool) -> None:
    assert identical(torch.tensor(old), torch.tensor(new)) is same
    assert identical(torch.tensor(old).to(torch.complex64), torch.tensor(new).to(torch.complex64)) is same


def test_every_nan_is_the_same() -> None:
    quiet = torch.tensor([0x7FC00000], dtype=torch.int32).view(torch.float32)
    other = torch.tensor([0x7FC00001], dtype=torch.int32).view(torch.float32)
    assert identical(quiet, other)


def test_integers_and_booleans() -> None:
    assert identical(torch.tensor([1, 2]), torch.tensor([1, 2]))
    assert not identical(torch.tensor([True]), torch.tensor([False]))


def test_eager_is_exact_and_compiled_is_tolerant() -> None:
    old = Trace({"call 0.returned.bits": torch.tensor([1.0])})
    new = Trace({"call 0.returned.bits": torch.tensor([1.00001])})
    assert [item.path for item in differences(old, new, Rules())] == ["call 0.returned.bits"]
    assert differences(old, new, Rules(tolerant=True)) == []


def test_a_gradient_may_be_summed_in_another_order() -> None:
    old = Trace({"call 0.gradient of args[0].bits": torch.tensor([1.0, 0.0])})
    near = Trace({"call 0.gradient of args[0].bits": torch.tensor([1.0000001, -0.0])})
    far = Trace({"call 0.gradient of args[0].bits": torch.tensor([1.0001, 0.0])})
    assert differences(old, near, Rules()) == []
    assert len(differences(old, far, Rules())) == 1


def test_numbers_are_compared_with_their_type() -> None:
    old, new = Trace({"call 0.returned": ("int", 1)}), Trace({"call 0.returned": ("bool", True)})
    assert str(differences(old, new, Rules())[0]) == "call 0.returned: 1 | True"


def test_a_name_that_only_the_rewrite_has_is_its_own() -> None:
    old = Trace({"call 0.global SEEN": ("list", "0 items")})
    new = Trace({**old.facts, "call 0.global _HELPER": ("int", 1), "call 0.cell g": ("int", 1)})
    assert differences(old, new, Rules()) == []
    written = Trace({**old.facts, "call 0.global SEEN[0]": ("int", 1), "call 0.new global last": ("int", 1)})
    assert [item.path for item in differences(old, written, Rules())] == [
        "call 0.global SEEN[0]",
        "call 0.new global last",
    ]


def test_a_library_may_word_its_failures_on_generated_calls() -> None:
    old = Trace({"call 0.raised": ("IndexError", "out of range")}, {0: Failure("IndexError", deliberate=False)})
    other = Trace({"call 0.raised": ("RuntimeError", "bad index")}, {0: Failure("RuntimeError", deliberate=False)})
    silent = Trace({"call 0.returned": ("int", 1)})
    assert differences(old, other, Rules(generated=True)) == []
    assert len(differences(old, other, Rules())) == 1
    assert [item.path for item in differences(old, silent, Rules(generated=True))] == ["call 0.raised"]


def test_a_deliberate_failure_is_kept_on_generated_calls() -> None:
    old = Trace({"call 0.raised": ("ValueError", "no")}, {0: Failure("ValueError", deliberate=True)})
    new = Trace({"call 0.raised": ("ValueError", "yes")}, {0: Failure("ValueError", deliberate=True)})
    assert [item.path for item in differences(old, new, Rules(generated=True))] == ["call 0.raised"]


def test_unstable_families_are_left_out() -> None:
    old, new = Trace({"call 3.returned": ("int", 1)}), Trace({"call 3.returned": ("int", 2)})
    assert differences(old, new, Rules(unstable=frozenset({"call #.returned"}))) == []


def test_declarations_cover_their_kind_only() -> None:
    item = Difference("call 0.raised", "a", "b")
    assert declared_by(item, ["exception: AssertionError becomes RuntimeError"]) is not None
    assert declared_by(item, ["dtype: wider", "no kind at all"]) is None


def test_the_first_differing_value_is_shown() -> None:
    item = Difference("call 0.returned.bits", torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
    assert str(item) == "call 0.returned: 1 of 2 values differ, first at [1]: 2.0 | 3.0"
