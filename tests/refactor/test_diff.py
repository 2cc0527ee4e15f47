"""Patches are what `git apply` takes, byte for byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refactor.report.diff import patch


def git_apply(folder: Path, data: bytes) -> None:
    subprocess.run(["git", "apply", "-"], cwd=folder, input=data, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "config", "core.autocrlf", "false"], check=True)
    return tmp_path


def test_equal_texts_have_no_patch():
    assert patch("a\n", "a\n", Path("f.py")) == ""


def test_a_patch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert patch("a\nb", "a\nc", tmp_path / "d" / "f.py") == (
        "--- a/d/f.py\n+++ b/d/f.py\n@@ -1,2 +1,2 @@\n a\n"
        "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\n", "a\nc\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\rb\n", "a\rc\n"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
        ("a", "b"),
        ("a\x0cb\u2028c\n", "a\x0cb\u2028d\n"),
        ("\ufeffa\n", "\ufeffb\n"),
        ("", "a\n"),
        ("".join(f"{n}\n" for n in range(50)), "".join(f"{n}\n" for n in range(50) if n not in (3, 40))),
    ],
)
def test_git_makes_the_new_text_of_it(repository, old, new):
    path = repository / "f.py"
    path.write_bytes(old.encode())
    git_apply(repository, patch(old, new, path).encode())
    assert path.read_bytes() == new.encode()


@pytest.mark.parametrize("name", ["with space.py", "é.py", 'quo"te.py', "tab\t.py", "back\\slash.py"])
def test_names_that_need_care(repository, name):
    path = repository / name
    path.write_text("a\n")
    git_apply(repository, patch("a\n", "b\n", path).encode())
    assert path.read_text() == "b\n"


def test_names_are_relative_to_the_working_directory(repository, monkeypatch):
    folder = repository / "pkg"
    folder.mkdir()
    (folder / "f.py").write_text("a\n")
    monkeypatch.chdir(folder)
    git_apply(folder, patch("a\n", "b\n", Path("f.py")).encode())
    assert (folder / "f.py").read_text() == "b\n"


_LINES = st.lists(st.sampled_from(["a", "b", "", "\x0c", "c\r"]), max_size=6).map("\n".join)


@given(_LINES, _LINES)
def test_any_two_texts(tmp_path_factory, old, new):
    folder = tmp_path_factory.mktemp("r")
    if not old or not new or old == new:
        return
    (folder / "f.py").write_bytes(old.encode())
    git_apply(folder, patch(old, new, Path("f.py")).encode())
    assert (folder / "f.py").read_bytes() == new.encode()
