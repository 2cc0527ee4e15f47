"""The built wheel, in a fresh virtual environment, beside a repository with its own `transforms` and `verify`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("refactor", "transforms", "verify")

MODEL = """\
import torch
from torch import nn

import transforms
from verify import checks


class Gate(nn.Module):
    def forward(self, x):
        h = torch.relu(x)
        if h.sum() > checks.LIMIT:
            h = h * 2
        return transforms.scaled(h)


def make_callable():
    return Gate()


def make_inputs():
    return [((torch.ones(3),), {}), ((-torch.ones(3),), {})]
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command without this process's Python settings, capturing its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


pytestmark = pytest.mark.xdist_group("wheel")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy, because a build leaves folders in the source tree."""
    source = tmp_path_factory.mktemp("source")
    for folder in SHIPPED:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    target = tmp_path_factory.mktemp("dist")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-index", "--no-build-isolation")
    built = run(*pip, "--no-deps", "--wheel-dir", target, source, cwd=target)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = target.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of a fresh environment that holds the wheel.

    The dependencies are read from the running environment by path. Its .pth files are not, so an editable
    installation of this package there stays out of sight.
    """
    home = tmp_path_factory.mktemp("fresh") / "environment"
    created = run(sys.executable, "-m", "venv", "--without-pip", home, cwd=home.parent)
    assert created.returncode == 0, created.stderr
    scheme = {"base": str(home), "platbase": str(home)}
    scripts = Path(sysconfig.get_path("scripts", "venv", vars=scheme))
    packages = Path(sysconfig.get_path("purelib", "venv", vars=scheme))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", scripts / "python", "install")
    installed = run(*pip, "--no-deps", "--no-index", wheel, cwd=home)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return scripts


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A user's repository whose modules are called as two of our layers are."""
    (tmp_path / "transforms.py").write_text("OWNER = 'user'\n\n\ndef scaled(x):\n    return x * 3\n", encoding="utf-8")
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "__init__.py").write_text("OWNER = 'user'\n", encoding="utf-8")
    (tmp_path / "verify" / "checks.py").write_text("LIMIT = 0.5\n", encoding="utf-8")
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


def test_the_wheel_holds_one_typed_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names if not name.partition("/")[0].endswith(".dist-info")}
    assert tops == {"refactor"}
    wanted = {"refactor/py.typed", "refactor/cli.py", "refactor/transforms/rule.py", "refactor/verify/launch.py"}
    assert wanted <= set(names)
    page = "refactor/report/page"
    parts = ("page.html.j2", "page.css", "page.js", "uPlot.iife.min.js", "uPlot.min.css", "uPlot.LICENSE")
    assert {f"{page}/{part}" for part in parts} <= set(names)
    shipped = {name for name in names if name.endswith(".py")}
    written = {
        "/".join(
            part
            for part in ("refactor", folder.removeprefix("refactor"), path.relative_to(ROOT / folder).as_posix())
            if part
        )
        for folder in SHIPPED
        for path in (ROOT / folder).rglob("*.py")
    }
    assert shipped == written


def test_the_users_own_modules_stay_the_users(binaries: Path, repository: Path) -> None:
    code = (
        "import json, transforms, verify, refactor.transforms.rule, refactor.verify.verdict\n"
        "ours = [refactor.transforms.__name__, refactor.verify.__name__, refactor.__file__]\n"
        "print(json.dumps([transforms.OWNER, verify.OWNER, *ours]))"
    )
    done = run(binaries / "python", "-c", code, cwd=repository, PYTHONPATH=".")
    assert done.returncode == 0, done.stderr
    *names, file = json.loads(done.stdout)
    assert names == ["user", "user", "refactor.transforms", "refactor.verify"]
    assert Path(file).is_relative_to(binaries.parent)


@pytest.mark.parametrize("start", [("refactor",), ("python", "-m", "refactor")], ids=["command", "module"])
def test_help_and_check_work_there(binaries: Path, repository: Path, start: tuple[str, ...]) -> None:
    command = (binaries / start[0], *start[1:])
    shown = run(*command, "--help", cwd=repository, PYTHONPATH=".")
    assert shown.returncode == 0, shown.stderr
    assert "apply" in shown.stdout
    found = run(*command, "check", "--output-format", "concise", "model.py", cwd=repository, PYTHONPATH=".")
    assert found.returncode == 1, found.stderr
    assert "model.py:11:" in found.stdout
    assert "TR101" in found.stdout


def test_a_model_that_imports_them_is_rewritten_and_verified(binaries: Path, repository: Path) -> None:
    entry = ("--factory", "make_callable", "--inputs", "make_inputs")
    done = run(
        binaries / "refactor", "apply", "--verify", "require", *entry, "model.py", cwd=repository, PYTHONPATH="."
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (repository / "model.py").read_text(encoding="utf-8") != MODEL
