"""Discovery, exact reading, and atomic writing."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refactor.config import Resolver
from refactor.errors import UserError
from refactor.files import decode, discover, read, write


def tree(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def found(root: Path, *paths: str, **overrides: object) -> list[str]:
    resolver = Resolver(overrides=overrides)
    return [path.as_posix() for path in discover([Path(path) for path in paths or (".",)], resolver)]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestDiscovery:
    def test_python_files_in_order_of_name(self, root):
        tree(root, b_py="", a__c_py="", a__b_py="", note="")
        assert found(root) == ["a/b.py", "a/c.py", "b.py"]

    def test_a_file_named_twice_is_taken_once_and_a_named_one_always(self, root):
        tree(root, a_py="", script="")
        assert found(root, "a.py", ".", "script") == ["a.py", "script"]

    def test_a_missing_path_is_an_error(self, root):
        with pytest.raises(UserError, match=r"^nope\.py: no such file or directory$"):
            found(root, "nope.py")

    def test_the_usual_folders_are_left_out(self, root):
        tree(root, a_py="", build__b_py="", x__node_modules__c_py="")
        (root / ".venv").mkdir()
        (root / ".venv" / "d.py").touch()
        assert found(root) == ["a.py"]

    def test_a_folder_that_is_named_is_walked_even_below_an_excluded_one(self, root):
        tree(root, build__b_py="", build__sub__c_py="", build__dist__d_py="")
        assert found(root, "build") == ["build/b.py", "build/sub/c.py"]
        assert found(root, "build/sub") == ["build/sub/c.py"]

    def test_exclude_replaces_and_extend_exclude_adds(self, root):
        tree(root, a_py="", b_py="", build__c_py="")
        assert found(root, exclude=("b.py",)) == ["a.py", "build/c.py"]
        assert found(root, **{"extend-exclude": ("a*",)}) == ["b.py"]

    def test_git_agrees_with_which_files_are_ignored(self, root):
        tree(
            root,
            keep_py="",
            drop_py="",
            gen__a_py="",
            gen__keep__b_py="",
            sub__x_py="",
            sub__y_py="",
            sub__deep__x_py="",
        )
        (root / ".gitignore").write_text("drop.py\n/gen/*\n!/gen/keep/\n")
        (root / "sub" / ".gitignore").write_text("/x.py\n!y.py\n")
        subprocess.run(["git", "init", "-q", "."], check=True)
        listed = subprocess.run(
            ["git", "ls-files", "--others", "--exclude-standard", "*.py"], capture_output=True, text=True, check=True
        )
        assert found(root) == sorted(listed.stdout.split())
        assert found(root) == ["gen/keep/b.py", "keep.py", "sub/deep/x.py", "sub/y.py"]

    def test_ignore_files_above_the_folder_count_up_to_the_repository(self, root):
        tree(root, pkg__a_py="", pkg__b_py="")
        (root / ".gitignore").write_text("b.py\n")
        assert found(root, "pkg") == ["pkg/a.py", "pkg/b.py"]
        (root / ".git").mkdir()
        assert found(root, "pkg") == ["pkg/a.py"]
        assert found(root, "pkg/../pkg") == ["pkg/../pkg/a.py"]

    def test_gitignore_can_be_disregarded(self, root):
        tree(root, a_py="")
        (root / ".gitignore").write_text("a.py\n")
        assert found(root) == []
        assert found(root, **{"respect-gitignore": False}) == ["a.py"]

    def test_a_link_to_a_folder_is_not_followed(self, root):
        tree(root, real__a_py="")
        (root / "loop").symlink_to(root, target_is_directory=True)
        assert found(root) == ["real/a.py"]


class TestReading:
    @pytest.mark.parametrize(
        ("data", "encoding", "text"),
        [
            (b"x = 1\r\n", "utf-8", "x = 1\r\n"),
            (b"x\ry\n\x0cz", "utf-8", "x\ry\n\x0cz"),
            (b"\xef\xbb\xbfx = 1\n", "utf-8", "\ufeffx = 1\n"),
            (b"# -*- coding: latin-1 -*-\ns = '\xe9'\n", "iso-8859-1", "# -*- coding: latin-1 -*-\ns = 'é'\n"),
            (b"#!/bin/python\n# vim: set fileencoding=cp1252 :\ns = '\x80'\n", "cp1252", None),
            (b"", "utf-8", ""),
        ],
    )
    def test_text_encodes_back_to_the_bytes(self, data, encoding, text):
        file = decode(data, Path("f.py"))
        assert file.encoding == encoding
        assert text is None or file.text == text
        assert file.encode(file.text) == data

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"x = 1\ny = '\xff'\n", "f.py"),
            (b"# coding: nonsense\n", "f.py: cannot be decoded: unknown encoding"),
            (b"\xef\xbb\xbf# coding: latin-1\n", "f.py: cannot be decoded: encoding problem"),
        ],
    )
    def test_undecodable_bytes_are_one_line(self, data, message):
        with pytest.raises(UserError) as caught:
            decode(data, Path("f.py"))
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)

    def test_a_folder_and_a_missing_file_are_user_errors(self, tmp_path):
        for path in (tmp_path, tmp_path / "nope.py"):
            with pytest.raises(UserError, match="cannot be read"):
                read(path)

    @given(st.text(st.characters(codec="utf-8"), max_size=40))
    def test_any_utf8_survives(self, text):
        data = text.encode()
        try:
            file = decode(data, Path("f.py"))
        except UserError:
            return
        assert file.encode(file.text) == data


class TestWriting:
    def test_the_bytes_and_the_mode(self, tmp_path):
        path = tmp_path / "f.py"
        path.write_bytes(b"\xef\xbb\xbfold\r\n")
        path.chmod(0o750)
        write(read(path), "\ufeffnew é\r\n")
        assert path.read_bytes() == b"\xef\xbb\xbfnew \xc3\xa9\r\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o750
        assert names(tmp_path) == ["f.py"]

    def test_a_link_stays_and_its_target_is_written(self, tmp_path):
        (tmp_path / "real").mkdir()
        target, link = tmp_path / "real" / "f.py", tmp_path / "link.py"
        target.write_text("old")
        link.symlink_to(target)
        write(read(link), "new")
        assert link.is_symlink()
        assert target.read_text() == "new"

    def test_a_file_that_changed_meanwhile_is_left_alone(self, tmp_path):
        path = tmp_path / "f.py"
        path.write_text("old")
        file = read(path)
        path.write_text("theirs")
        with pytest.raises(UserError, match="changed while it was being rewritten"):
            write(file, "ours")
        assert path.read_text() == "theirs"
        assert names(tmp_path) == ["f.py"]

    def test_a_text_that_the_encoding_lacks_is_refused(self, tmp_path):
        path = tmp_path / "f.py"
        path.write_bytes(b"# coding: latin-1\n")
        with pytest.raises(UserError, match="cannot be written as iso-8859-1"):
            write(read(path), "# coding: latin-1\n# \u4e00\n")
        assert path.read_bytes() == b"# coding: latin-1\n"

    def test_a_file_that_went_away_is_not_made_again(self, tmp_path):
        path = tmp_path / "f.py"
        path.write_text("old")
        file = read(path)
        path.unlink()
        with pytest.raises(UserError, match="cannot be written"):
            write(file, "new")
        assert names(tmp_path) == []
