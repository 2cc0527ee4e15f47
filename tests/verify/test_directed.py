"""Variations aimed at conditions that no constant of the text gives away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from refactor.verify.verdict import Verdict

TIES = {
    "a product of attributes": (
        (
            "class C:\n    def __init__(self):\n        self.low, self.by = 0.37, 2.0\n    def __call__(self, x):\n"
            "        return x + 1 if x.max() > self.low * self.by else x - 1\n"
        ),
        "C()",
    ),
    "a tensor of the object": (
        (
            "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('edge', torch.tensor(0.7310))\n    def forward(self, x):\n"
            "        return x + 1 if x.max() > self.edge else x - 1\n"
        ),
        "C()",
    ),
    "a scaled value": ("def f(x):\n    return x + 1 if x.max() * 3 > 7.125 else x - 1\n", "f"),
    "two arguments": ("def f(x, y=0.8125):\n    return x + 1 if x.max() > y * 5 else x - 1\n", "f"),
}


@pytest.mark.parametrize("name", TIES)
def test_a_tie_is_found(name: str, judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    body, build = TIES[name]
    text = program(body, build=build)
    verdict = judged(text, text.replace(" > ", " >= "), examples=1)
    assert verdict.status == "REFUTED"
    assert "returned" in verdict.reasons[0]


def test_the_far_side_of_a_condition_is_found(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program("def f(x):\n    y = x.abs().mean() * 0.1 - 2\n    if y > 1:\n        x = x * 2\n    return x + 1\n")
    condition = next(i for i, line in enumerate(text.splitlines(), 1) if "if y" in line)
    verdict = judged(text, f"{text}# same\n", conditions=((condition, 7, condition, 12),), examples=1)
    assert verdict.status == "VERIFIED"
    assert verdict.arms[0].exercised


@pytest.mark.parametrize(
    "conditions",
    [
        ("x.mean() > 40", "y.mean() < -90"),
        ("(x[0] - x[1]).sum() > 50", "y.max() > 77.5"),
        ("x.mean() * scale > 200", "y.mean() > 30"),
    ],
    ids=" and ".join,
)
def test_a_condition_inside_a_condition_is_reached(
    conditions: tuple[str, str], judged: Callable[..., Verdict], program: Callable[..., str]
) -> None:
    outer, inner = conditions
    text = program(
        f"def f(x, y, scale=1.0):\n    if {outer}:\n        if {inner}:\n            return x\n    return x + y\n",
        calls="((torch.randn(3, 4, generator=g), torch.randn(3, 4, generator=g)), {})",
    )
    line = next(i for i, text_line in enumerate(text.splitlines(), 1) if inner in text_line)
    spans = ((line - 1, 7, line - 1, 7 + len(outer)), (line, 11, line, 11 + len(inner)))
    verdict = judged(text, f"{text}# same\n", conditions=spans, examples=60)
    assert [arm.exercised for arm in verdict.arms] == [True, True]
    assert verdict.status == "VERIFIED"


def test_what_is_rewritten_must_be_seen_both_ways(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    old = program("def f(x):\n    if x.dim() > 7:\n        return x + 1\n    return x - 1\n")
    new = old.replace("x.dim() > 7", "x.dim() >= 8")
    verdict = judged(old, new)
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0] == "branch not exercised: the condition at line 4 was never true"


def test_a_condition_that_is_kept_need_not_be_seen(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    old = program("def f(x):\n    if x.dim() > 7:\n        return x + 1\n    return x - 1\n")
    assert judged(old, old.replace("return x - 1", "y = x - 1\n    return y")).status == "VERIFIED"
