"""The numbered contracts of README.md and docs/guarantees.md: a test of the same number for each.

Most are asked of real rewrites: the inputs of the rules' own cases, with all rules at once.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import functools
import importlib.util
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refactor.engine import Options, Rewrite, rewrite
from refactor.transforms.rule import registry

from ..rules.test_cases import CHANGING, identify

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = Options(select=frozenset(registry()), verify="off", cache=False)
PER_RULE = 2


def texts() -> Iterator[tuple[str, str]]:
    """The first inputs that each rule changes without being told to, by name."""
    changing = [case for case in CHANGING if not case.values("flags")]
    for _, cases in itertools.groupby(changing, key=lambda case: case.rule):
        for case in itertools.islice(cases, PER_RULE):
            yield identify(case), case.input.rstrip() + "\n"


TEXTS = dict(texts())
each_text = pytest.mark.parametrize("name", TEXTS)


@functools.cache
def rewritten(text: str) -> Rewrite:
    """A text with every safe fix of every rule."""
    return rewrite(text, "model.py", OPTIONS)


def tool(*arguments: str | Path, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command, in a process of its own."""
    command = [sys.executable, "-m", "refactor", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)


def repository(folder: Path, step: int = 1) -> dict[Path, str]:
    """A real repository with a file for each text, or for one in so many."""
    files = {folder / f"{name.replace('/', '_')}.py": TEXTS[name] for name in list(TEXTS)[::step]}
    for path, text in files.items():
        path.write_text(text, encoding="utf-8", newline="")
    for command in (["init", "-q", "."], ["config", "core.autocrlf", "false"], ["add", "."]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return files


def contents(files: dict[Path, str]) -> dict[Path, str]:
    return {path: path.read_bytes().decode() for path in files}


BEHAVIOURS = {
    "branch": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 0:
            x = x * 2
        else:
            x = x - 1
        return self.layer(x)
""",
    "guard": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        if not torch.isfinite(x).all():
            raise ValueError(f"not finite: {tuple(x.shape)}")
        return self.layer(x)
""",
    "print and counter": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        x = self.layer(x)
        print("call", self.calls, tuple(x.shape))
        return torch.relu(x)
""",
    "mask": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        mask = y > 0
        y[mask] = y[mask] * 2
        return y
""",
    "loop": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        for i in range(3):
            x = self.layer(x)
            print(i)
        return x
""",
}


def observed(text: str, folder: Path) -> list[Any]:
    """What a caller of a model sees: results, gradients, state, output, exceptions, random numbers; by torch alone."""
    torch = pytest.importorskip("torch")
    path = folder / f"model_{abs(hash(text))}.py"
    path.write_text(f"import torch\nfrom torch import nn\n{text}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(3)
    model = module.Model()
    seen: list[Any] = []
    for scale in (1.0, -1.0, 0.0, float("nan")):
        x = torch.linspace(-1.0, 2.0, 8).reshape(2, 4).mul(scale).requires_grad_()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                y = model(x)
                y.sum().backward()
                seen += [y.detach(), y.stride(), x.grad, [p.grad.clone() for p in model.parameters()]]
            except Exception as error:
                seen.append((type(error), str(error)))
        seen += [printed.getvalue(), dict(model.state_dict()), torch.get_rng_state(), getattr(model, "calls", None)]
    return seen


def same(one: Any, other: Any) -> bool:
    """Equal to the bit, tensors inside of lists and dicts included."""
    if hasattr(one, "untyped_storage"):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.allclose(other, 0, 0, equal_nan=True))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_01_same_behaviour(name: str, tmp_path: Path) -> None:
    text = f"import torch\nfrom torch import nn\n{BEHAVIOURS[name]}"
    new = rewritten(text).new
    assert new != text
    assert same(observed(text, tmp_path), observed(new, tmp_path))


WRONG = """
import torch
def bad(x):
    return x + 1
def good(x):
    return x + 2
def call(x):
    return bad(x)
def make_callable():
    return call
def make_inputs():
    return [((torch.ones(2),), {})]
"""


@pytest.mark.parametrize("mode", ["auto", "require"])
@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("told", [True, False], ids=["told", "found"])
def test_02_a_refuted_rewrite_is_never_written(mode: Any, unsafe: bool, told: bool, smith: Any) -> None:
    names = {"factory": "make_callable", "inputs": "make_inputs"} if told else {}
    options = replace(OPTIONS, verify=mode, unsafe_fixes=unsafe, **names)
    result = rewrite(WRONG, "model.py", options, smith)
    assert result.new == WRONG
    assert any("refuted when run" in item.reason for item in result.left)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "model.py"],
        ["check", "model.py", "--output-format", "sarif"],
        ["apply", "model.py", "--verify", "off", "--dry-run"],
        ["apply", "model.py", "--verify", "off"],
        ["check", "."],
        ["config"],
        ["rule", "TR101"],
    ],
    ids=" ".join,
)
def test_03_no_user_code_runs_unless_asked(arguments: list[str], tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    runs = f"open({str(marker)!r}, 'w').close()\n"
    for name in ("model.py", "conftest.py", "sitecustomize.py", "torch.py", "libcst.py", "setup.py"):
        (tmp_path / name).write_text(runs + TEXTS[next(iter(TEXTS))])
    done = tool(*arguments, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert not marker.exists()


LAYOUTS: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "windows": (lambda t: t.replace("\n", "\r\n"), lambda t: t.replace("\r\n", "\n")),
    "old mac": (lambda t: t.replace("\n", "\r"), lambda t: t.replace("\r", "\n")),
    "mark": (lambda t: "\ufeff" + t, lambda t: t.removeprefix("\ufeff")),
    "no last newline": (lambda t: t.removesuffix("\n"), lambda t: t + "\n"),
    "blank end": (lambda t: t + "\n \n\t\n", lambda t: t.removesuffix("\n \n\t\n")),
    "form feed": (lambda t: t + "\x0c\n", lambda t: t.removesuffix("\x0c\n")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", list(TEXTS)[::PER_RULE])
def test_04_every_byte_outside_a_fix_stays(name: str, layout: str) -> None:
    there, back = LAYOUTS[layout]
    plain = TEXTS[name]
    result = rewritten(there(plain))
    assert back(result.new) == rewritten(plain).new
    if layout == "old mac":
        assert "\n" not in result.new
    if layout == "windows":
        assert result.new.count("\r\n") == result.new.count("\n") == result.new.count("\r")


@each_text
def test_05_the_output_parses(name: str) -> None:
    assert rewritten(TEXTS[name]).changed
    ast.parse(rewritten(TEXTS[name]).new)


@each_text
def test_06_applying_twice_changes_nothing(name: str) -> None:
    new = rewritten(TEXTS[name]).new
    assert rewrite(new, "model.py", OPTIONS).new == new


def test_07_the_patch_is_the_rewrite(tmp_path: Path) -> None:
    files = repository(tmp_path, step=PER_RULE)
    options = ("--isolated", "--verify", "off")
    patch = tool("apply", ".", "--dry-run", *options, cwd=tmp_path).stdout
    assert contents(files) == files
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True, text=True)
    patched = contents(files)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8", newline="")
    tool("apply", ".", *options, cwd=tmp_path)
    assert contents(files) == patched
    assert all(patched[path] != text for path, text in files.items())


def test_08_all_or_nothing(tmp_path: Path) -> None:
    files = repository(tmp_path, step=8)
    whole = {path: rewritten(text).new for path, text in files.items()}
    command = [sys.executable, "-m", "refactor", "apply", ".", "--isolated", "--verify", "off", "--jobs", "2"]
    while True:
        # Killed at the first file that it writes, it goes on with the rest when started again.
        before = contents(files)
        run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True)
        while run.poll() is None and contents(files) == before:
            pass
        killed = run.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        now = contents(files)
        assert all(now[path] in (text, whole[path]) for path, text in files.items())
        if not killed:
            break
    assert now == whole
    assert set(tmp_path.glob("*.py")) == set(files)


def test_09_everything_refused_is_said(tmp_path: Path) -> None:
    cases = sorted((ROOT / "tests" / "rules").glob("*/refuses_*.py"))[::4]
    for path in cases:
        (tmp_path / f"{path.parent.name}_{path.name}").write_bytes(path.read_bytes())
    (tmp_path / "wrong.py").write_text("import torch\nx = (\n")
    done = tool("apply", ".", "--isolated", "--verify", "off", "--output-format", "json", cwd=tmp_path)
    told = json.loads(done.stdout)
    left = {
        file["path"]: sorted((item["code"], item["location"]["line"]) for item in file["left"])
        for file in told["files"]
    }
    assert all(item["reason"].strip() for file in told["files"] for item in file["left"])
    checked = json.loads(tool("check", ".", "--isolated", "--output-format", "json", cwd=tmp_path).stdout)
    found = {
        file["path"]: sorted((item["code"], item["location"]["line"]) for item in file["findings"])
        for file in checked["files"]
        if file["findings"]
    }
    assert {name: rows for name, rows in left.items() if rows} == found
    assert found
    assert [error["path"].rpartition("/")[2] for error in told["errors"]] == ["wrong.py"]
    assert done.returncode == 2


def test_10_same_answer_everywhere(tmp_path: Path) -> None:
    files = repository(tmp_path, step=PER_RULE)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    arguments = ("--isolated", "--output-format", "json")
    answers = [
        tool("check", tmp_path, *arguments, "--jobs", jobs, cwd=folder, env={**os.environ, **environment}).stdout
        for jobs, folder, environment in (
            ("1", tmp_path, {"PYTHONHASHSEED": "0"}),
            ("2", elsewhere, {"PYTHONHASHSEED": "1", "LC_ALL": "C", "LANG": "C"}),
            ("3", tmp_path.parent, {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "TZ": "Asia/Tokyo"}),
        )
    ]
    rows = [[(Path(file["path"]).name, file["findings"]) for file in json.loads(answer)["files"]] for answer in answers]
    assert rows[0] == rows[1] == rows[2]
    assert {name for name, found in rows[0] if found} == {path.name for path in files}
    path, text = next(iter(files.items()))
    piped = tool("apply", "-", "--stdin-filename", path, "--isolated", "--verify", "off", cwd=elsewhere, input=text)
    assert piped.stdout == rewritten(text).new


@each_text
def test_11_rewritten_code_does_not_depend_on_this_tool(name: str) -> None:
    def imported(text: str) -> set[str]:
        nodes = list(ast.walk(ast.parse(text)))
        plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        return {path.partition(".")[0] for path in plain} | {
            (node.module or "").partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)
        }

    added = imported(rewritten(TEXTS[name]).new) - imported(TEXTS[name])
    assert added <= {"torch", *sys.stdlib_module_names}


def bound(text: str) -> collections.Counter[str]:
    """How often each name is bound at the top of a text."""
    names: collections.Counter[str] = collections.Counter()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names[node.name] += 1
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


@each_text
def test_12_your_names_stay_yours(name: str) -> None:
    text = TEXTS[name]
    added = bound(rewritten(text).new) - bound(text)
    assert all(helper.startswith("_") and count == 1 for helper, count in added.items())
    # The same names are the user's own now.
    own = "".join(f"def {helper}(yours):\n    return {helper!r}, yours\n\n\n" for helper in added)
    new = rewritten(own + text).new
    assert own.strip() in new
    assert all(count == 1 for count in (bound(new) - bound(text)).values())


COUNTED = """
import torch
@torch.compile
def f(x):
    y = x * 2
    if y.sum() > 0:
        y = y + 1
    else:
        y = y - 1
    return torch.relu(y)
def make_callable():
    return f
def make_inputs():
    return [((torch.ones(3),), {}), ((-torch.ones(3),), {})]
"""


def test_13_the_figures_are_what_dynamo_did(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(COUNTED)
    new.write_text(rewritten(COUNTED).new)
    names = ("--factory", "make_callable", "--inputs", "make_inputs", "--no-cache", "--output-format", "json")
    done = tool("verify", old, new, *names, "--isolated", cwd=tmp_path)
    verdict = json.loads(done.stdout)["verdict"]
    told = [len(verdict[side]["break_sites"]) for side in ("before", "after")]
    public = []
    for path in (old, new):
        namespace: dict[str, Any] = {}
        exec(compile(path.read_text().replace("@torch.compile\n", ""), path, "exec"), namespace)
        torch._dynamo.reset()
        public.append(torch._dynamo.explain(namespace["f"])(torch.ones(3)).graph_break_count)
    assert told == public == [1, 0]


def test_every_contract_has_a_test_of_its_number() -> None:
    told = re.findall(r"^(\d+)\. \*\*(.+?)\.\*\*", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    tests = {match[1]: match[2] for name in globals() if (match := re.fullmatch(r"test_(\d\d)_(\w+)", name))}
    assert tests == {f"{int(number):02}": title.lower().replace(" ", "_") for number, title in told}
