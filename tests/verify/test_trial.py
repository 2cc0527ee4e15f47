"""The verdict as a whole, in this process."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from refactor.verify.verdict import Arm, Verdict

BRANCH = "def f(x):\n    if x.sum() > 1000:\n        return x + 1\n    return x - 1\n"
COUNTER = (
    "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 0\n"
    "    def forward(self, x):\n        self.n += 1\n        return x * 2\n"
)


def test_the_same_text_in_other_formatting(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program(BRANCH)
    verdict = judged(text, f"{ast.unparse(ast.parse(text))}\n# the end\n")
    assert verdict.status == "VERIFIED"
    assert verdict.before is not None
    assert verdict.after is not None
    assert (verdict.before.graphs, [site.line for site in verdict.before.break_sites]) == (2, [4])
    assert (verdict.after.graphs, [site.line for site in verdict.after.break_sites]) == (2, [5])
    assert not verdict.gains


def test_a_function_marked_for_dynamo_alone(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    old = program("def f(x):\n    return x + x.sum().item()\n")
    assert judged(old, old.replace("def f", "@torch._dynamo.decorators.skip\ndef f")).status == "VERIFIED"
    marked = old.replace("def make", "f.calls = 0\n\n\ndef make", 1)
    assert judged(old, marked).status == "REFUTED"


def test_an_arm_that_no_call_reaches(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program("def f(x):\n    if x.dim() > 7:\n        return x + 1\n    return x - 1\n")
    verdict = judged(text, text + "# same\n", conditions=((4, 7, 4, 18),))
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0] == "branch not exercised: the condition at line 4 was never true"
    assert verdict.before is not None
    assert (verdict.arms[0].line, verdict.arms[0].taken) == (4, 0)


def test_arms_that_only_variations_reach(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program(BRANCH)
    verdict = judged(text, text + "# same\n", conditions=((4, 7, 4, 21),))
    assert verdict.status == "VERIFIED"
    assert [isinstance(arm, Arm) and arm.exercised for arm in verdict.arms] == [True]


def test_a_gain_is_measured(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    old = program("def f(x):\n    if x.sum() > 0:\n        return x + 1\n    return x - 1\n")
    new = old.replace(
        "    if x.sum() > 0:",
        "    if torch.compiler.is_compiling():\n"
        "        return torch.where(x.sum() > 0, x + 1, x - 1)\n    if x.sum() > 0:",
    )
    verdict = judged(old, new)
    assert (verdict.status, verdict.gains) == ("VERIFIED", True)
    assert verdict.before is not None
    assert verdict.after is not None
    assert (len(verdict.before.break_sites), len(verdict.after.break_sites), verdict.after.graphs) == (1, 0, 1)


def test_what_the_text_compiles_itself_is_metered_there(
    judged: Callable[..., Verdict], program: Callable[..., str]
) -> None:
    body = (
        "@torch.compile(fullgraph=False)\ndef core(x):\n    return x + 1\n"
        "def f(x):\n    y = core(x)\n    print('outside')\n    return y\n"
    )
    text = program(body)
    verdict = judged(text, text + "# same\n")
    assert verdict.status == "VERIFIED"
    assert verdict.before is not None
    assert (verdict.before.graphs, verdict.before.break_sites) == (1, ())


def test_a_declared_change_is_let_through_and_named(
    judged: Callable[..., Verdict], program: Callable[..., str]
) -> None:
    old = program(COUNTER, build="C()")
    new = old.replace("self.n = 0", "self.register_buffer('n', torch.zeros((), dtype=torch.long), persistent=False)")
    declared = ("state: self.n becomes a buffer that is not saved",)
    assert judged(old, new).status == "REFUTED"
    verdict = judged(old, new, declared=declared)
    assert verdict.status == "VERIFIED"
    assert f"as declared: {declared[0]}" in verdict.reasons


def test_a_result_that_changes_from_run_to_run(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program("import time\ndef f(x):\n    return time.perf_counter_ns()\n")
    verdict = judged(text, text + "# same\n")
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0] == "the original is not deterministic in what it returns"


def test_only_the_unstable_part_is_left_out(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program("import time\nSEEN = [0]\ndef f(x):\n    SEEN[0] = time.perf_counter_ns()\n    return x + 1\n")
    assert judged(text, text + "# same\n").status == "VERIFIED"
    assert judged(text, text.replace("x + 1", "x + 2")).status == "REFUTED"


def test_nothing_to_run(judged: Callable[..., Verdict]) -> None:
    verdict = judged("import torch\nx = 1\n", "import torch\nx = 2\n", factory=None)
    reason = "nothing to run: no function or method leads to the file; name a factory and inputs"
    assert (verdict.status, verdict.reasons) == ("UNVERIFIED", (reason,))


def test_an_original_that_never_works(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program("def f(x):\n    return x.nothing_of_the_kind\n")
    verdict = judged(text, text)
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0].startswith("the original fails on every given call: AttributeError: ")


def test_a_failure_that_is_meant_is_behaviour(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    text = program("def f(x):\n    raise ValueError('always')\n")
    assert judged(text, text + "# same\n").status == "VERIFIED"


def test_a_difference_only_when_compiled_that_the_original_has_too(
    judged: Callable[..., Verdict], program: Callable[..., str]
) -> None:
    text = program("def f(x):\n    return x + 2 if torch.compiler.is_compiling() else x + 1\n")
    verdict = judged(text, text + "# same\n")
    assert verdict.status == "VERIFIED"
    assert any("the original differs from itself when compiled" in reason for reason in verdict.reasons)


def test_the_same_seed_gives_the_same_verdict(judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    old = program("def f(x):\n    return x if x.sum() > 0 else -x\n")
    new = old.replace("> 0", ">= 0")
    assert judged(old, new, seed=5) == judged(old, new, seed=5)


def test_the_counterexample_runs(judged: Callable[..., Verdict], program: Callable[..., str], tmp_path: Path) -> None:
    old = program("def f(x):\n    return 'positive' if x.sum() > 0 else 'negative'\n")
    new = old.replace("> 0", ">= 0")
    verdict = judged(old, new)
    assert verdict.counterexample is not None
    files = {"old.py": old, "new.py": new, "show.py": verdict.counterexample}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "show.py", "old.py", "new.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert [line.strip() for line in shown if "returned" in line] == ["returned negative", "returned positive"]
