"""Targets and inputs that the judge finds by itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from refactor.verify.found import plan_for
from refactor.verify.reach import Outline, candidates, changed
from refactor.verify.verdict import Verdict

HEAD = "import torch\nfrom torch import nn\nimport dataclasses\n"


@pytest.fixture
def sought(judged: Callable[..., Verdict]) -> Callable[..., Verdict]:
    """Judges a body against itself with one piece replaced, without a word on what to call."""

    def judge_body(body: str, old: str = "", new: str = "", **options: object) -> Verdict:
        assert old in body
        text = HEAD + body
        return judged(text, text.replace(old, new) if old else f"{text}# same\n", factory=None, inputs=None, **options)

    return judge_body


PROGRAMS = {
    "sizes from the layers": "class M(nn.Module):\n    def __init__(self, dim=7):\n        super().__init__()\n"
    "        self.a = nn.Linear(dim, 3)\n    def forward(self, x):\n        return self.a(x).relu()\n",
    "constructor without defaults": "class M(nn.Module):\n    def __init__(self, d_model: int, n_heads: int):\n"
    "        super().__init__()\n        assert d_model % n_heads == 0\n        self.h = n_heads\n"
    "        self.q = nn.Linear(d_model, d_model)\n    def forward(self, x):\n        b, t, c = x.shape\n"
    "        return self.q(x).view(b, t, self.h, c // self.h).transpose(1, 2)\n",
    "embedding and mask": "class M(nn.Module):\n    def __init__(self, vocab=5, dim=4):\n        super().__init__()\n"
    "        self.emb = nn.Embedding(vocab, dim)\n    def forward(self, input_ids, attention_mask=None):\n"
    "        h = self.emb(input_ids)\n        if attention_mask is not None:\n"
    "            h = h.masked_fill(~attention_mask.bool()[..., None], 0.0)\n        return h\n",
    "images": "class M(nn.Module):\n    def __init__(self, channels=3):\n        super().__init__()\n"
    "        self.c = nn.Conv2d(channels, 2, 3)\n    def forward(self, image):\n"
    "        n, c, h, w = image.shape\n        return self.c(image).flatten(1)\n",
    "config object": "@dataclasses.dataclass\nclass Config:\n    hidden_size: int = 6\n    eps: float = 1e-5\n\n"
    "class M(nn.Module):\n    def __init__(self, config: Config):\n        super().__init__()\n"
    "        self.w = nn.Parameter(torch.ones(config.hidden_size))\n        self.eps = config.eps\n"
    "    def forward(self, x):\n        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.w\n",
    "config without a class": "class M(nn.Module):\n    def __init__(self, config):\n        super().__init__()\n"
    "        self.a = nn.Linear(config.hidden_size, 4)\n    def forward(self, x):\n        return self.a(x)\n",
    "wrapped module": "class Inner(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.a = nn.Linear(4, 4)\n    def forward(self, x, t):\n        return self.a(x) * t\n\n"
    "class M(nn.Module):\n    def __init__(self, model):\n        super().__init__()\n        self.model = model\n"
    "    def forward(self, x, t):\n        return self.model(x, t) + 1\n",
    "shapes in the docstring": 'def f(q, k):\n    """Scores.\n\n    Args:\n        q: queries (B, T, D)\n'
    '        k: keys (B, S, D)\n    """\n    return torch.einsum("btd,bsd->bts", q, k)\n',
    "annotated shapes": "def f(x: \"Float[torch.Tensor, 'b c h w']\", s: \"Int[torch.Tensor, 'b']\"):\n"
    "    b, c, h, w = x.shape\n    return x[torch.arange(b), s % c]\n",
    "list of tensors": "def f(tensors: list[torch.Tensor], weight: float):\n"
    "    return torch.stack([t * weight for t in tensors]).sum()\n",
    "dict of tensors": "def f(batch):\n    return batch['image'].mean() + batch['label'].float().mean()\n",
    "asserted sizes": "def f(x, y):\n    assert x.dim() == 3 and x.shape[1] == 7\n    return x @ y\n",
    "method with state": "class Ema:\n    def __init__(self, decay: float = 0.9):\n"
    "        self.decay, self.mean = decay, None\n    def update(self, value):\n        if self.mean is None:\n"
    "            self.mean = value.clone()\n        else:\n            self.mean = self.mean * self.decay + value\n"
    "        return self.mean\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_is_found(name: str, sought: Callable[..., Verdict]) -> None:
    verdict = sought(PROGRAMS[name], examples=2)
    assert verdict.status == "VERIFIED"
    assert verdict.reasons[0].startswith("no difference on found calls of ")
    assert verdict.before is not None
    assert verdict.before.graphs >= 1


WRONG = {
    "an arm behind a flag": (
        "def f(x, flag=False):\n    if flag:\n        return x + 1\n    return x\n",
        "x + 1",
        "x + 2",
    ),
    "an arm behind a number": (
        "def f(x):\n    if x.sum() > 100:\n        return x * 2\n    return x + 0\n",
        "x * 2",
        "x * 3",
    ),
    "an arm behind a size": (
        "def f(x):\n    if x.shape[0] == 9:\n        return x * 2\n    return x + 0\n",
        "x * 2",
        "x * 3",
    ),
    "an arm behind a string": (
        "def f(x, mode):\n    if mode == 'sum':\n        return x.sum()\n    return x.max() if mode == 'peak' else x\n",
        "x.max()",
        "x.amax() + 1",
    ),
    "the third call only": (
        "class M:\n    n = 0\n    def go(self, x):\n        self.n += 1\n        return x * 2 if self.n > 2 else x\n",
        "x * 2",
        "x * 4",
    ),
    "a deliberate error": (
        "def f(x, y):\n    if x.shape != y.shape:\n        raise ValueError('shapes differ')\n    return x + y\n",
        "ValueError",
        "RuntimeError",
    ),
    "a helper's callers": (
        "def _scale(x, by):\n    return x * by\n\ndef f(x):\n    return _scale(x, 2.0) + 1\n",
        "return x * by",
        "return x / by",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rewrite_is_refuted(name: str, sought: Callable[..., Verdict]) -> None:
    verdict = sought(*WRONG[name])
    assert verdict.status == "REFUTED"
    assert verdict.counterexample is not None


def test_the_counterexample_runs(sought: Callable[..., Verdict], tmp_path: Path) -> None:
    body, old, new = WRONG["the third call only"]
    verdict = sought(body, old, new)
    assert verdict.counterexample is not None
    (tmp_path / "old.py").write_text(HEAD + body)
    (tmp_path / "new.py").write_text((HEAD + body).replace(old, new))
    (tmp_path / "show.py").write_text(verdict.counterexample)
    command = [sys.executable, "show.py", "old.py", "new.py"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    before, after = shown.split("new.py\n")
    assert before.removeprefix("old.py\n") != after


def test_a_private_helper_may_change_with_its_callers(sought: Callable[..., Verdict]) -> None:
    body = "def _scale(x, by):\n    return x * by\n\ndef f(x):\n    return _scale(x, 2.0) + 1\n"
    text = HEAD + body
    new = text.replace("def _scale(x, by):\n    return x * by", "def _scale(by, x):\n    return x * by")
    assert sought(body, body, new.replace("_scale(x, 2.0)", "_scale(2.0, x)").removeprefix(HEAD)).status == "VERIFIED"


def test_what_never_runs_is_not_verified(sought: Callable[..., Verdict]) -> None:
    body = "def f(x):\n    if x.dim() > 20:\n        return x * 2\n    return x + 1\n"
    verdict = sought(body, "x * 2", "x * 3")
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0] == "line 6 changed and no call that was found runs it"


def test_what_cannot_be_built_is_named(sought: Callable[..., Verdict]) -> None:
    body = "def f(handle):\n    return handle.frobnicate(3).twist\n"
    verdict = sought(body, "frobnicate(3)", "frobnicate(4)", examples=1)
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0] == "no call that was found reaches f"
    assert verdict.reasons[1].startswith("no call of f was found that works: AttributeError: ")


def test_a_factory_without_inputs(judged: Callable[..., Verdict]) -> None:
    text = HEAD + PROGRAMS["sizes from the layers"] + "\ndef make():\n    torch.manual_seed(0)\n    return M(5)\n"
    verdict = judged(text, text.replace("relu", "tanh"), factory="make", inputs=None)
    assert verdict.status == "REFUTED"
    assert verdict.counterexample is not None
    assert "f = module.make()" in verdict.counterexample


class TestOutline:
    TEXT = (
        "import torch\nLIMIT = 3\n\ndef low(x):\n    return x + LIMIT\n\n"
        "class C:\n    def __init__(self):\n        self.k = 1\n    def go(self, x):\n        return low(x) * self.k\n"
        "    @property\n    def size(self):\n        return 3\n\n"
        "def other(x):\n    return x\n"
    )

    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ("return x + LIMIT", "return LIMIT + x", {"low"}),
            ("return x + LIMIT", "return (x + LIMIT)  # in brackets", set()),
            ("LIMIT = 3", "LIMIT = 4", {"low"}),
            ("self.k = 1", "self.k = 2", {"C.__init__"}),
            ("import torch", "import torch\nimport math", set()),
            ("def other(x):\n    return x\n", "", {"other"}),
        ],
    )
    def test_changed(self, old: str, new: str, expected: set[str]) -> None:
        assert changed(Outline.of(self.TEXT), Outline.of(self.TEXT.replace(old, new))) == expected

    def test_candidates(self) -> None:
        assert [unit.name for unit in candidates(Outline.of(self.TEXT))] == ["low", "C.go", "other"]

    def test_leads_to(self) -> None:
        outline = Outline.of(self.TEXT)
        assert {"low", "C.go", "C.__init__"} <= outline.leads_to("C.go")
        assert outline.leads_to("other") == {"other"}

    def test_reading_needs_no_torch(self) -> None:
        code = "import sys, refactor.verify.reach; print('torch' in sys.modules)"
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert shown == "False\n"


class TestGuesses:
    @pytest.mark.parametrize(
        ("text", "name", "expected"),
        [
            ("def f(mask): return ~mask", "mask", "bool"),
            ("def f(x, idx): return x[idx]", "idx", "int64"),
            ("def f(x): return x.mean()", "x", "float32"),
        ],
    )
    def test_dtypes(self, text: str, name: str, expected: str) -> None:
        outline = Outline.of(text)
        plan = plan_for(outline.units["f"], outline)
        guess = next(guess for guess in plan.calling if guess.name == name)
        assert getattr(guess.options[0], "dtype", None) == expected

    def test_every_option_can_be_made(self) -> None:
        from refactor.verify.specs import evaluate

        outline = Outline.of("def f(x, ids, mask, n, scale, mode='a', flag=False, items=None): return x[mask]")
        for guess in plan_for(outline.units["f"], outline).calling:
            made = [evaluate(option.text, None) for option in guess.options]
            assert made
            assert all(value.numel() < 1000 for value in made if isinstance(value, torch.Tensor))
