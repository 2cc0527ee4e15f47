"""Adopting the tool in a large repository: baselines, changed lines, ignore comments."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from refactor.engine import inspect
from refactor.ignoring import ignored


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def concise(result) -> list[str]:
    return [line.partition(" ")[0] for line in result.stdout.splitlines()[:-1]]


class TestBaseline:
    @pytest.fixture
    def check(self, invoke):
        return lambda *more: invoke("check", "--output-format", "concise", "--baseline", "b.json", *more)

    def test_only_what_is_new_is_reported(self, check):
        write("f.py", "bad(1)\nbad(2)\n")
        assert (check("--update-baseline").exit_code, check("--update-baseline").stdout) == (0, "")
        assert check().exit_code == 0
        write("f.py", "x = 0\n\nbad(2)\nbad(1)\nbad(1)\nrisky(1)\n")
        result = check()
        assert result.exit_code == 1
        assert concise(result) == ["f.py:5:1:", "f.py:6:1:"]

    def test_it_does_not_depend_on_the_working_directory(self, check, invoke, monkeypatch):
        write("d/f.py", "bad(1)\n")
        check("--update-baseline")
        assert json.loads(Path("b.json").read_text())["files"].keys() == {"d/f.py"}
        monkeypatch.chdir("d")
        assert invoke("check", "--baseline", "../b.json").exit_code == 0
        assert (
            invoke("check", "-", "--stdin-filename", "f.py", "--baseline", "../b.json", input="bad(1)\n").exit_code == 0
        )
        assert (
            invoke("check", "-", "--stdin-filename", "g.py", "--baseline", "../b.json", input="bad(1)\n").exit_code == 1
        )

    @pytest.mark.parametrize(
        ("text", "arguments", "message"),
        [
            (None, (), "b.json: no such baseline; write one with --update-baseline"),
            ("{}", (), "b.json: not a baseline of this version; write one with --update-baseline"),
            ("[1]", (), "b.json: not a baseline of this version; write one with --update-baseline"),
            ('{"schema": 2, "files": {}}', (), "b.json: not a baseline of this version; write one with"),
            ("{}", ("--update-baseline", "--add-ignore"), "`--update-baseline` needs `--baseline FILE`, and neither"),
        ],
    )
    def test_what_is_wrong_is_one_line(self, check, text, arguments, message):
        if text is not None:
            write("b.json", text)
        result = check(*arguments)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {message}")
        assert result.stderr.count("\n") == 1


class TestDiffFilter:
    @pytest.fixture
    def check(self, invoke):
        """The places found on lines changed since a revision; the first commit has f.py, g.py and one finding each."""

        def git(*arguments: str) -> None:
            subprocess.run(
                ["git", "-c", "user.name=n", "-c", "user.email=e@x", *arguments], check=True, capture_output=True
            )

        write("f.py", "x = 'é'\nbad()\n")
        write("g.py", "bad(\n    1,\n)\n" + "y = 1\n" * 9)
        git("init", "-q", "-b", "main")
        git("add", ".")
        git("commit", "-qm", "one")
        self.git = git
        return lambda revision="HEAD", *more, **extra: invoke(
            "check", "--output-format", "concise", "--diff-filter", revision, *more, **extra
        )

    def test_only_changed_lines_are_reported(self, check):
        assert check().exit_code == 0
        write("f.py", "z = 0\nx = 'é'\nbad()\nbad()\n")
        assert concise(check()) == ["f.py:4:1:"]
        self.git("commit", "-qam", "two")
        assert concise(check("HEAD~1")) == ["f.py:4:1:"]
        assert concise(check()) == []

    def test_a_line_inside_of_a_finding_counts(self, check):
        write("g.py", "bad(\n    2,\n)\n" + "y = 1\n" * 9)
        assert concise(check()) == ["g.py:1:1:"]

    def test_new_files_and_renamed_ones(self, check):
        write("new.py", "bad()\n")
        self.git("mv", "g.py", "moved.py")
        assert concise(check()) == ["new.py:1:1:"]

    def test_standard_input(self, check):
        result = check("HEAD", "-", "--stdin-filename", "f.py", input="x = 'é'\nbad()\nrisky()\n")
        assert concise(result) == ["f.py:3:1:"]

    def test_since_the_branch_was_left(self, check):
        self.git("checkout", "-qb", "mine")
        write("f.py", "x = 'é'\nbad()\nrisky()\n")
        self.git("commit", "-qam", "mine")
        self.git("checkout", "-q", "main")
        write("f.py", "")
        self.git("commit", "-qam", "theirs")
        self.git("checkout", "-q", "mine")
        assert concise(check("main...")) == ["f.py:3:1:"]
        assert concise(check("main")) == ["f.py:2:1:", "f.py:3:1:"]

    def test_an_unknown_revision(self, check):
        result = check("nope")
        assert result.exit_code == 2
        assert result.stderr == "error: --diff-filter: git rev-parse says: there is no revision `nope`\n"


class TestAddIgnore:
    def test_every_finding_gets_a_comment(self, invoke):
        path = write("f.py", "bad(risky())\r\nx = 1  # why\r\nstuck()  # refactor: ignore[TR1]\r\n  \r\nbad(  # n\r\n)")
        result = invoke("check", "--add-ignore")
        assert path.read_bytes().decode() == (
            "bad(risky())  # refactor: ignore[TR101, TR103]\r\nx = 1  # why\r\n"
            "stuck()  # refactor: ignore[TR1, TR201]\r\n  \r\nbad(  # n  # refactor: ignore[TR101]\r\n)"
        )
        assert (result.exit_code, result.stdout) == (1, result.stdout)
        assert "TR900" in result.stdout

    @pytest.mark.parametrize(
        "text",
        [
            "bad(\n    '''\n    ''',\n)\n",
            "x = '''\n''' + bad()\n",
            "x = 1 + \\\n    bad()\n",
            "if bad(): pass\n",
            "\ufeffbad()\n",
            "x = [\n  bad(),\n  1]\n",
            "x = f'''{\nbad()}'''\n",
            "\tx = 1\n" * 0 + "x = bad()  \t\n",
        ],
    )
    def test_wherever_there_is_room(self, text, smith, everything):
        found = inspect(text, "f.py", everything, smith)[1]
        after, left = ignored(text, "f.py", found)
        assert left == []
        assert inspect(after, "f.py", everything, smith)[1] == []

    def test_no_room(self, invoke):
        text = "x = bad() + \\\n    1\n"
        path = write("f.py", text)
        result = invoke("check", "--add-ignore", "--output-format", "concise")
        assert (result.exit_code, concise(result)) == (1, ["f.py:1:5:"])
        assert path.read_text() == text

    def test_only_what_is_reported(self, invoke):
        path = write("f.py", "bad()\nrisky()\n")
        assert invoke("check", "--add-ignore", "--select", "TR101").exit_code == 0
        assert path.read_text() == "bad()  # refactor: ignore[TR101]\nrisky()\n"

    def test_standard_input_is_no_file(self, invoke):
        result = invoke("check", "-", "--add-ignore", input="bad()\n")
        assert result.stderr == "error: `--add-ignore` changes files, and standard input is none\n"
