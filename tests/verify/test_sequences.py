"""What shows only in a row of calls: copies, saved state and other modes in the middle, sizes that change."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from refactor.verify.verdict import Verdict

MODULE = "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = nn.Linear(4, 4)\n"
CACHED = f"{MODULE}        self.k = None\n    def forward(self, x):\n"
# name: (body of the original, what is replaced, what by, words of the counterexample)
WRONG = {
    "what is kept cannot be copied": (
        f"{CACHED}        self.k = self.w.weight.detach() * 2\n        return x @ self.k\n",
        ("self.w.weight.detach() * 2", "(self.w.weight * 2).requires_grad_()"),
        "",
    ),
    "a copy loses what was kept": (
        (
            f"{MODULE}        self.k = [0]\n"
            "    def forward(self, x):\n        self.k[0] += 1\n        return x + self.k[0]\n"
        ),
        (
            "        return x + self.k[0]\n",
            (
                "        return x + self.k[0]\n    def __deepcopy__(self, memo):\n        made = C()\n"
                "        made.load_state_dict(self.state_dict())\n        return made\n"
            ),
        ),
        "copy",
    ),
    "saved state comes too late": (
        (
            f"{MODULE}        self.register_buffer('n', torch.zeros(1))\n        self.seen = 0\n"
            "    def forward(self, x):\n        self.n.add_(1)\n        self.seen = self.n.item()\n"
            "        return x + self.n\n"
        ),
        (
            "        self.n.add_(1)\n        self.seen = self.n.item()\n",
            "        self.seen = self.seen + 1.0\n        self.n.fill_(self.seen)\n",
        ),
        "",
    ),
    "kept from a call without gradients": (
        f"{CACHED}        return x @ (self.w.weight * 2)\n",
        (
            "        return x @ (self.w.weight * 2)\n",
            (
                "        if self.k is None or self.k[0] != self.w.weight._version:\n"
                "            self.__dict__['k'] = (self.w.weight._version, self.w.weight * 2)\n"
                "        return x @ self.k[1]\n"
            ),
        ),
        "",
    ),
    "a function keeps what autocast made": (
        "W = torch.eye(4)\ndef f(x):\n    return x @ (W @ W)\n",
        (
            "def f(x):\n    return x @ (W @ W)\n",
            (
                "def f(x, *, kept=[]):\n    if not kept:\n        kept.append(W @ W)\n"
                "    return x.to(kept[0].dtype) @ kept[0]\n"
            ),
        ),
        "",
    ),
    "mode of the first call": (
        f"{MODULE}    def forward(self, x):\n        return self.w(x) if self.training else x\n",
        (
            "        return self.w(x) if self.training else x\n",
            ("        self.__dict__.setdefault('_m', self.training)\n        return self.w(x) if self._m else x\n"),
        ),
        "",
    ),
    "length of the first call": (
        f"{MODULE}    def forward(self, x):\n        return x + torch.arange(len(x))[:, None]\n",
        (
            "    def forward(self, x):\n        return x + torch.arange(len(x))[:, None]\n",
            (
                "    def forward(self, x, *, kept=[]):\n        if not kept or len(kept[0]) < len(x):\n"
                "            kept[:] = [torch.arange(len(x)).flip(0)[:, None]]\n"
                "        return x + kept[0].flip(0)[-len(x):]\n"
            ),
        ),
        "resize",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_difference_in_a_row_of_calls(name: str, judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    body, (old, new), words = WRONG[name]
    assert old in body
    build = "C()" if "class C" in body else "f"
    verdict = judged(program(body, build=build), program(body.replace(old, new), build=build), examples=10)
    assert verdict.status == "REFUTED"
    assert words in verdict.reasons[0]
    assert verdict.counterexample is not None
    ast.parse(verdict.counterexample)


RIGHT = {
    "kept by version, with gradients asked anew": (
        f"{CACHED}        return x @ (self.w.weight * 2)\n",
        "        return x @ (self.w.weight * 2)\n",
        "        double = self.w.weight * 2\n        return x @ double\n",
    ),
    "kept by size": (
        f"{MODULE}    def forward(self, x):\n        return x + torch.arange(len(x))[:, None]\n",
        "    def forward(self, x):\n        return x + torch.arange(len(x))[:, None]\n",
        (
            "    def forward(self, x, *, kept={}):\n        if len(x) not in kept:\n"
            "            kept[len(x)] = torch.arange(len(x))[:, None]\n        return x + kept[len(x)]\n"
        ),
    ),
    "the original cannot be copied either": (
        f"{CACHED}        self.k = self.w.weight * 2\n        return x @ self.k\n",
        "        return x @ self.k\n",
        "        k = self.k\n        return x @ k\n",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_in_every_row_of_calls(name: str, judged: Callable[..., Verdict], program: Callable[..., str]) -> None:
    body, old, new = RIGHT[name]
    assert old in body
    verdict = judged(program(body, build="C()"), program(body.replace(old, new), build="C()"), examples=10)
    assert verdict.status == "VERIFIED"


def test_the_counterexample_shows_modes_in_the_middle(
    judged: Callable[..., Verdict], program: Callable[..., str], tmp_path: Path
) -> None:
    old = program("W = torch.ones(2, requires_grad=True)\ndef f(x):\n    return (W * 2).requires_grad\n")
    new = old.replace(
        "def f(x):\n    return (W * 2).requires_grad\n",
        "def f(x, *, kept=[]):\n    if not kept:\n        kept.append(W * 2)\n    return kept[0].requires_grad\n",
    )
    verdict = judged(old, new)
    assert verdict.status == "REFUTED"
    assert verdict.counterexample is not None
    for name, text in {"old.py": old, "new.py": new, "show.py": verdict.counterexample}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "show.py", "old.py", "new.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    lines = [line.strip() for line in shown if "returned" in line]
    assert lines[: len(lines) // 2] != lines[len(lines) // 2 :]
