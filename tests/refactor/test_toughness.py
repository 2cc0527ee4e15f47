"""Files that other tools stumble over: each gets the right answer or one clear line, and the run goes on."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BRANCH = "        h = x + 1\n        if h.sum() > 0:\n            h = h * 2\n        else:\n            h = h - 1\n"
HEAD = "import torch\nfrom torch import nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n"
PLAIN = f"{HEAD}{BRANCH}        return h\n"
VERSION = f"not valid Python {sys.version_info.major}.{sys.version_info.minor}"


def within(code: str) -> str:
    """A model with some code above a branch that is to be found."""
    block = "".join(f"        {line}\n" for line in code.splitlines())
    return f"{HEAD}{block}{BRANCH}        return h\n"


def nested(opening: str, count: int, last: str) -> str:
    return "\n".join(" " * i + opening for i in range(count)) + "\n" + " " * count + last


def since(version: tuple[int, int], code: str, older: str = VERSION) -> tuple[str, str]:
    """Syntax that came with a version of Python: a finding with it, one line about it before."""
    return code, "TR101" if sys.version_info >= version else older


# What is expected: the code of a finding at the branch, or what the one line says.
TEXTS: dict[str, tuple[str | bytes, str]] = {
    "sum of 200 terms": (within(f"y = {' + '.join(['x'] * 200)}"), "TR101"),
    "sum of 900 terms": (within(f"y = {' + '.join(['x'] * 900)}"), "nested too deeply to be analysed"),
    "sum of 3,000 terms": (within(f"y = {' + '.join(['x'] * 3000)}"), "nested too deeply to be parsed"),
    "and of 3,000 terms": (within(f"y = {' and '.join(['x is None'] * 3000)}"), "TR101"),
    "comparison of 3,000 terms": (within(f"y = {' < '.join(['1'] * 3000)}"), "TR101"),
    "3,000 attributes": (within(f"y = x{'.a' * 3000}"), "nested too deeply to be parsed"),
    "3,000 negations": (within(f"y = {'not ' * 3000}1"), "nested too deeply to be parsed"),
    "190 parentheses": (within(f"y = {'(' * 190}x{')' * 190}"), "TR101"),
    "5,000 parentheses": (within(f"y = {'(' * 5000}x{')' * 5000}"), VERSION),
    "90 lambdas": (within(f"y = {'lambda: ' * 90}1"), "TR101"),
    "90 nested blocks": (within(nested("if x is not None:", 90, "y = 1")), "TR101"),
    "400 nested blocks": (nested("if x:", 400, "y = 1"), VERSION),
    "19 nested with": (within(nested("with torch.no_grad():", 19, "y = 1")), "TR101"),
    "300 elif": (within("if x is None:\n    y = 0\n" + "elif y == 1:\n    y = 2\n" * 300), "TR101"),
    "3,000 fields of an f-string": (within(f"y = f'{'{x}' * 3000}'"), "TR101"),
    "5,000 joined strings": (within("y = (" + "'a' " * 5000 + ")"), "TR101"),
    "a line of 1 MB": (within(f"y = '{'a' * 1_000_000}'"), "TR101"),
    "a list of 1 MB": (within(f"y = [{'1, ' * 330_000}]"), "TR101"),
    "form feed": (PLAIN.replace("class", "\x0cclass").replace("        if", "\x0c        if"), "TR101"),
    "byte-order mark": ("\ufeff" + PLAIN, "TR101"),
    "latin-1 cookie": (b"# -*- coding: latin-1 -*-\n" + within("y = 'é'").encode("latin-1"), "TR101"),
    "unknown cookie": (f"# -*- coding: nonsense -*-\n{PLAIN}", "cannot be decoded: unknown encoding: nonsense"),
    "wrong UTF-8": (PLAIN.encode() + b"# \xff\n", "cannot be decoded: 'utf-8' codec"),
    "UTF-16": (PLAIN.encode("utf-16"), "cannot be decoded"),
    "NUL": (PLAIN + "x = '\0'\n", VERSION),
    "mixed line ends": (PLAIN.replace("\n", "\r\n", 4), "TR101"),
    "old line ends": (PLAIN.replace("\n", "\r"), "TR101"),
    "no last newline": (PLAIN.removesuffix("\n"), "TR101"),
    "tabs": (PLAIN.replace("    ", "\t"), "TR101"),
    "tabs and spaces": (PLAIN + "if x:\n\ty = 1\n        y = 2\n", VERSION),
    "walrus": (within("if (n := x.shape[0]) > 2:\n    x = x + n"), "TR101"),
    "match": (within("match x.shape:\n    case (a, b):\n        x = x + a\n    case _:\n        pass"), "TR101"),
    "async": (PLAIN + "async def f(x):\n    async with x as y, y:\n        return [z async for z in y]\n", "TR101"),
    "decorators": (PLAIN.replace("    def", "    @(lambda f: f)\n    @torch.no_grad()\n    def"), "TR101"),
    "names beyond ASCII": (within("größe = x.shape[0]"), "TR101"),
    "continued lines": (within("y = 1 + \\\n    2"), "TR101"),
    "Python 2": (PLAIN + "print 'x'\n", VERSION),
    "except*": since((3, 11), within("try:\n    y = 1\nexcept* ValueError:\n    pass")),
    "type parameters": since((3, 12), PLAIN + "type A[T] = list[T]\ndef f[T](x: T) -> T:\n    return x\n"),
    "f-strings nested five deep": since((3, 12), within("y = f'{f'{f'{f'{f'{x}'}'}'}'}'")),
    "t-string": since((3, 14), within("y = t'{x}'")),
    "except without parentheses": since((3, 14), within("try:\n    y = 1\nexcept ValueError, TypeError:\n    pass")),
    "lazy import": since((3, 15), f"lazy import json\n{PLAIN}"),
    "nothing": ("", ""),
    "a comment": ("# nothing", ""),
}


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made of the system calls of Linux")


def tool(folder: Path, *arguments: str, **options: Any) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
    """The report of a command, and how it ended; a traceback is never right."""
    command = [sys.executable, "-m", "refactor", *arguments, "--isolated", "--output-format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout), done


def told(report: dict[str, Any]) -> dict[str, list[str]]:
    """The codes of the findings, or the line about it, of each file."""
    codes = {file["path"]: [item["code"] for item in file.get("findings", ())] for file in report["files"]}
    return codes | {error["path"]: [error["message"]] for error in report["errors"]}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, list[str]], Path, int]:
    """What `check` says of all texts in one run, and what `apply` leaves of them."""
    folder = tmp_path_factory.mktemp("texts")
    for number, (text, _) in enumerate(TEXTS.values()):
        (folder / f"f{number}.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    report, done = tool(folder, "check", ".")
    tool(folder, "apply", ".", "--verify", "off")
    return told(report), folder, done.returncode


@pytest.mark.xdist_group("texts")
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_gets_an_answer(name: str, answers: tuple[dict[str, list[str]], Path, int]) -> None:
    rows, folder, code = answers
    text, expected = TEXTS[name]
    file = f"f{list(TEXTS).index(name)}.py"
    found = rows.get(file, [])
    if expected == "TR101":
        assert found == ["TR101"]
        assert b"torch.where(" in (folder / file).read_bytes()
    else:
        assert len(found) == bool(expected)
        assert all(expected in line and "\n" not in line for line in found)
        assert (folder / file).read_bytes() == (text if isinstance(text, bytes) else text.encode())
    assert code == 2


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unreadable(path: Path) -> None:
    path.write_text(PLAIN)
    path.chmod(0)


def locked(path: Path) -> None:
    path.mkdir()
    (path / "inner.py").write_text(PLAIN)
    path.chmod(0)


# How each is made, and what is said of it where it is named, and where its folder is.
FILES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "pipe.py": (pipe, "is not a regular file", ""),
    "device.py": (lambda path: path.symlink_to("/dev/zero"), "is not a regular file", ""),
    "circle.py": (lambda path: path.symlink_to(path), "", ""),
    "dangling.py": (lambda path: path.symlink_to("nowhere.py"), "", ""),
    "folder.py": (Path.mkdir, "", ""),
    "up": (lambda path: path.symlink_to(".."), "", ""),
    "unreadable.py": (unreadable, "cannot be read: Permission denied", "cannot be read: Permission denied"),
    "locked": (locked, "cannot be read: Permission denied", "cannot be read: Permission denied"),
    "line\nbreak.py": (lambda path: path.write_text(PLAIN), "TR101", "TR101"),
    os.fsdecode(b"not-utf8-\xff.py"): (lambda path: path.write_text(PLAIN), "TR101", "TR101"),
    "link.py": (lambda path: path.symlink_to("plain.py"), "TR101", "TR101"),
}


def bounded() -> None:
    """Have permissions apply to this process and its children, to a superuser's as well."""
    # PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH; other users have neither.
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a plain file."""
    (tmp_path / "plain.py").write_text(PLAIN)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_file_gets_an_answer(name: str, folder: Path) -> None:
    make, by_name, from_above = FILES[name]
    make(folder / name)
    try:
        (*named,) = told(tool(folder, "check", name, preexec_fn=bounded)[0]).values() if by_name else ()
        assert [by_name in line for (line,) in named] == [True] * bool(by_name)
        report, done = tool(folder, "check", ".", preexec_fn=bounded)
        above = {path: rows for path, rows in told(report).items() if rows and path != "plain.py"}
        assert [from_above in line for (line,) in above.values()] == [True] * bool(from_above)
        assert told(report)["plain.py"] == ["TR101"]
        assert done.returncode == (2 if "Permission" in from_above else 1)
    finally:
        if not (folder / name).is_symlink():
            (folder / name).chmod(0o755)


def test_a_folder_that_may_not_be_written_to(folder: Path) -> None:
    (folder / "plain.py").chmod(0o666)
    folder.chmod(0o555)
    try:
        report, done = tool(folder, "apply", ".", "--verify", "off", "--no-cache", preexec_fn=bounded)
    finally:
        folder.chmod(0o755)
    assert told(report)["plain.py"] == ["cannot be written: Permission denied"]
    assert done.returncode == 2
    assert (folder / "plain.py").read_text() == PLAIN


def test_a_disk_without_room(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    small = "import torch\n\n\ndef f(x):\n    return x\n"
    (tmp_path / "small.py").write_text(small)

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    report, done = tool(tmp_path, "apply", ".", "--verify", "off", "--no-cache", preexec_fn=full)
    assert told(report)["plain.py"] == ["cannot be written: File too large"]
    assert done.returncode == 2
    assert (tmp_path / "plain.py").read_text() == PLAIN
    assert {path.name for path in tmp_path.iterdir()} == {"plain.py", "small.py"}


def test_links_that_lead_nowhere_are_missing_files(folder: Path) -> None:
    for name, target in (("circle.py", "circle.py"), ("dangling.py", "nowhere.py")):
        (folder / name).symlink_to(target)
        command = [sys.executable, "-m", "refactor", "check", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.stderr, done.returncode) == (f"error: {name}: no such file or directory\n", 2)


@pytest.mark.parametrize("form", ["full", "concise", "github", "sarif", "gitlab", "junit"])
def test_every_format_takes_a_name_that_is_no_utf8(form: str, folder: Path) -> None:
    (folder / os.fsdecode(b"not-utf8-\xff.py")).write_text(PLAIN)
    command = [sys.executable, "-m", "refactor", "check", ".", "--isolated", "--output-format", form]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert (done.stderr.count(b"Traceback"), done.returncode) == (0, 1)
    assert b"not-utf8-" in done.stdout


@pytest.mark.slow
def test_a_hundred_thousand_files(tmp_path: Path) -> None:
    for number in range(100):
        part = tmp_path / f"part{number}"
        part.mkdir()
        for other in range(1000):
            (part / f"f{other}.py").write_text("import os\n" if other else PLAIN)
    report, done = tool(tmp_path, "check", ".")
    assert sum(rows == ["TR101"] for rows in told(report).values()) == 100
    assert (report["summary"]["files"], done.returncode) == (100_000, 1)
