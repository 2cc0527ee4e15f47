"""The commands as a user meets them: output, exit status, and which files are touched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

import refactor.commands
import refactor.engine
from refactor.verify.verdict import Arm, Counts, Request, Site, Verdict

VERSION = ".".join(map(str, sys.version_info[:2]))


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


class TestCheck:
    def test_full(self, invoke):
        write("f.py", "x = 1\n\tand 2 if x else 3\n".replace("\n\tand", " and") + "if x:\n\tbad(x)\nstuck(\n    x\n)\n")
        result = invoke("check", "f.py")
        assert result.exit_code == 1
        assert result.stdout == snapshot("""\
TR101 [*] `bad` is called
 --> f.py:3:2
  |
3 | 	bad(x)
  | 	^^^^^^
  = why: it is called so (proved)
  = fix: `refactor apply` rewrites this

TR201 `stuck` is called
 --> f.py:4:1
  |
4 | stuck(
  | ^^^^^^
  = why: it is called so (proved)
  = no fix: nothing fits
  = help: write it by hand

Found 2 findings in 1 file (1 fixable with `refactor apply`).
""")

    def test_full_of_the_other_kinds(self, invoke):
        write("f.py", "s = '一'; risky()\nadvice()\n")
        assert invoke("check", "f.py").stdout == snapshot("""\
TR103 [!] `risky` is called
 --> f.py:1:10
  |
1 | s = '一'; risky()
  |           ^^^^^^^
  = why: it is called so (proved)
  = fix: not exact or assumed: needs `refactor apply --unsafe-fixes`, or to be verified

TR105 `advice` is called
 --> f.py:2:1
  |
2 | advice()
  | ^^^^^^^^
  = why: it is called so (proved)
  = fix: advice only

Found 2 findings in 1 file (0 fixable with `refactor apply`, 1 more with `--unsafe-fixes` or when verified).
""")

    def test_concise(self, invoke):
        write("d/f.py", "bad()\n  \nx = stuck(risky())\n")
        result = invoke("check", "--output-format", "concise")
        assert result.exit_code == 1
        assert result.stdout == snapshot("""\
d/f.py:1:1: TR101 [*] `bad` is called
d/f.py:3:5: TR201 `stuck` is called (nothing fits; write it by hand)
d/f.py:3:11: TR103 [!] `risky` is called
Found 3 findings in 1 file (1 fixable with `refactor apply`, 1 more with `--unsafe-fixes` or when verified).
""")

    def test_json(self, invoke):
        write("f.py", "guess()\n")
        write("g.py", "x = 1\n")
        write("h.py", "x = \n")
        result = invoke("check", "--output-format=json", "--config", "jobs = 1")
        document = json.loads(result.stdout)
        assert result.exit_code == 2
        assert (document["schema"], document["command"]) == (1, "check")
        assert document["files"] == snapshot(
            [
                {
                    "path": "f.py",
                    "findings": [
                        {
                            "code": "TR104",
                            "name": "guess-call",
                            "message": "`guess` is called",
                            "location": {"line": 1, "column": 1},
                            "end_location": {"line": 1, "column": 8},
                            "offsets": [0, 7],
                            "evidence": {"level": "assumed", "because": "nothing says otherwise"},
                            "fixable": True,
                            "safety": "unsafe",
                            "refusal": None,
                            "registry": [],
                            "registry_pages": [],
                        }
                    ],
                }
            ]
        )
        assert document["errors"] == [
            {
                "path": "h.py",
                "line": 1,
                "message": f"not valid Python {VERSION}: invalid syntax",
            }
        ]

    def test_statistics(self, invoke):
        write("f.py", "bad(bad())\nstuck()\n")
        assert invoke("check", "--statistics").stdout == snapshot("""\
2  TR101  bad-call  (2 fixable)
1  TR201  stuck-call  (0 fixable)
Found 3 findings in 1 file (2 fixable with `refactor apply`).
""")

    def test_nothing_found(self, invoke):
        write("f.py", "x = 1\n")
        result = invoke("check")
        assert (result.exit_code, result.stdout) == (0, "Nothing found in 1 file.\n")

    def test_selection(self, invoke):
        write("f.py", "bad()\nstuck()\nrisky()\n")
        assert "stuck" not in invoke("check", "--select", "TR1").stdout
        assert "Found 1 finding" in invoke("check", "--select", "TR1", "--ignore", "TR103").stdout
        write("pyproject.toml", "[tool.refactor]\nignore = ['TR103']\n")
        assert "Found 1 finding" in invoke("check", "--ignore", "TR2").stdout
        assert "Found 2 findings" in invoke("check", "--isolated", "--ignore", "TR2").stdout

    def test_standard_input(self, invoke):
        write("pkg/pyproject.toml", "[tool.refactor]\nignore = ['TR1']\n")
        result = invoke("check", "-", "--output-format", "concise", "--stdin-filename", "f.py", input="bad()\n")
        assert result.stdout.startswith("f.py:1:1: TR101 [*] ")
        assert invoke("check", "-", "--stdin-filename", "pkg/f.py", input="bad()\n").exit_code == 0

    def test_no_file_is_touched(self, invoke):
        path = write("f.py", "bad()\n")
        before = path.stat()
        invoke("check")
        assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("check", "nope.py"), "error: nope.py: no such file or directory"),
            (("check", "--select", "TR7"), "error: command line: no rule is called `TR7`"),
            (("check", "-", "f.py"), "error: `-` stands for standard input and goes with no other path"),
            (("check", "--config", "sed = 1"), "error: --config: unknown setting `sed` (did you mean `seed`?)"),
            (("apply", "--inputs", "f"), "error: `--inputs` needs a `--factory` to build what is called"),
            (("apply", "--factory", "a b"), "error: expected NAME or FILE:NAME of a factory or of inputs, got `a b`"),
            (("rule",), "error: expected the code of a rule, or --all"),
            (("verify", "nope.py", "nope.py"), "error: nope.py: cannot be read: No such file or directory"),
        ],
    )
    def test_each_is_one_line_and_status_2(self, invoke, arguments, message):
        write("f.py", "x = 1\n")
        result = invoke(*arguments)
        assert (result.exit_code, result.stderr) == (2, f"{message}\n")

    @pytest.mark.parametrize(
        ("arguments", "hint"),
        [
            (("chek",), "`check`"),
            (("check", "--selct", "x"), "--select"),
            (("check", "--output-format", "xml"), "'json'"),
        ],
    )
    def test_a_misspelt_word_gets_a_hint(self, invoke, arguments, hint):
        result = invoke(*arguments)
        assert result.exit_code == 2
        assert hint in result.stderr
        assert result.stderr.count("\n") == 1

    def test_a_file_with_an_error_does_not_keep_the_others_from_being_rewritten(self, invoke):
        good, wrong = write("a.py", "bad()\n"), write("b.py", "bad(\n")
        result = invoke("apply", ".")
        assert result.exit_code == 2
        assert result.stderr == f"error: b.py:1: not valid Python {VERSION}: '(' was never closed\n"
        assert (good.read_text(), wrong.read_text()) == ("good()\n", "bad(\n")

    def test_a_file_that_changed_meanwhile_is_said(self, invoke, monkeypatch):
        path = write("f.py", "bad()\n")
        original = refactor.commands.write

        def late(file, text):
            path.write_text("theirs\n")
            original(file, text)

        monkeypatch.setattr(refactor.commands, "write", late)
        result = invoke("apply")
        assert result.exit_code == 2
        assert result.stderr == "error: f.py: changed while it was being rewritten; left alone, run again\n"
        assert path.read_text() == "theirs\n"


class TestApply:
    def test_the_file_is_rewritten_and_it_is_said(self, invoke):
        path = write("f.py", "bad()\r\nx = 'é'  # \x0c")
        result = invoke("apply", "f.py")
        assert path.read_bytes() == "good()\r\nx = 'é'  # \x0c".encode()
        assert result.exit_code == 0
        assert result.stdout == snapshot("""\
Not verified: 1 file (nothing was run; name a --factory and --inputs to verify).
Rewrote 1 file of 1 (1 x TR101). Nothing left.
""")

    def test_what_stays_is_shown_with_its_reason(self, invoke):
        write("f.py", "bad()\nrisky()\nstuck()\n")
        result = invoke("apply", "--show-fixes")
        assert result.exit_code == 1
        assert result.stdout == snapshot("""\
TR103 [!] `risky` is called
 --> f.py:2:1
  |
2 | risky()
  | ^^^^^^^
  = why: it is called so (proved)
  = no fix: the fix changes something a caller can see, or rests on an assumption
  = help: allow it with --unsafe-fixes, or name a --factory and --inputs to verify it

TR201 `stuck` is called
 --> f.py:3:1
  |
3 | stuck()
  | ^^^^^^^
  = why: it is called so (proved)
  = no fix: nothing fits
  = help: write it by hand

1 change in f.py:
  1: TR101 call `good` (not run, safe)
Not verified: 1 file (nothing was run; name a --factory and --inputs to verify).
Rewrote 1 file of 1 (1 x TR101). 2 findings left.
""")

    def test_concise(self, invoke):
        write("f.py", "bad()\nrisky()\n")
        assert invoke("apply", "--output-format", "concise").stdout == snapshot("""\
f.py:2:1: TR103 [!] `risky` is called (the fix changes something a caller can see, or rests on an assumption; \
allow it with --unsafe-fixes, or name a --factory and --inputs to verify it)
Not verified: 1 file (nothing was run; name a --factory and --inputs to verify).
Rewrote 1 file of 1 (1 x TR101). 1 finding left.
""")

    def test_concise_with_fixes(self, invoke):
        write("f.py", "bad()\nrisky()\n")
        assert invoke("apply", "--output-format", "concise", "--show-fixes").stdout == snapshot("""\
f.py:2:1: TR103 [!] `risky` is called (the fix changes something a caller can see, or rests on an assumption; \
allow it with --unsafe-fixes, or name a --factory and --inputs to verify it)
1 change in f.py:
  1: TR101 call `good` (not run, safe)
Not verified: 1 file (nothing was run; name a --factory and --inputs to verify).
Rewrote 1 file of 1 (1 x TR101). 1 finding left.
""")

    def test_json(self, invoke):
        write("f.py", "bad()\nrisky()\n")
        document = json.loads(invoke("apply", "--output-format", "json").stdout)
        assert document["files"] == snapshot(
            [
                {
                    "path": "f.py",
                    "changed": True,
                    "written": True,
                    "fixes": [
                        {
                            "code": "TR101",
                            "name": "bad-call",
                            "line": 1,
                            "end_line": 1,
                            "summary": "call `good`",
                            "safety": "safe",
                            "changes": [],
                            "standing": "not run",
                        }
                    ],
                    "left": [
                        {
                            "code": "TR103",
                            "name": "risky-call",
                            "message": "`risky` is called",
                            "location": {"line": 2, "column": 1},
                            "end_location": {"line": 2, "column": 8},
                            "offsets": [7, 14],
                            "evidence": {"level": "proved", "because": "it is called so"},
                            "fixable": True,
                            "safety": "unsafe",
                            "refusal": None,
                            "registry": [],
                            "registry_pages": [],
                            "reason": "the fix changes something a caller can see, or rests on an assumption",
                            "remedy": "allow it with --unsafe-fixes, or name a --factory and --inputs to verify it",
                            "dropped": False,
                        }
                    ],
                    "verdict": None,
                    "notes": [],
                    "patch": """\
--- a/f.py
+++ b/f.py
@@ -1,2 +1,2 @@
-bad()
+good()
 risky()
""",
                }
            ]
        )

    def test_unsafe_fixes(self, invoke):
        path = write("f.py", "risky()\nguess()\n")
        assert invoke("apply", "--unsafe-fixes").exit_code == 0
        assert path.read_text() == "changed()\nguessed()\n"

    @pytest.mark.parametrize("option", ["--dry-run", "--diff", "--check"])
    def test_nothing_is_written(self, invoke, option):
        path = write("f.py", "bad()\n")
        before = path.stat().st_mtime_ns
        result = invoke("apply", option)
        assert path.stat().st_mtime_ns == before
        assert result.exit_code == (1 if option == "--check" else 0)

    def test_dry_run_prints_the_patch_and_nothing_else(self, invoke):
        write("f.py", "x = 1\nbad()\n")
        result = invoke("apply", "--dry-run")
        assert result.stdout == "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n x = 1\n-bad()\n+good()\n"
        assert result.stderr == snapshot("""\
Not verified: 1 file (nothing was run; name a --factory and --inputs to verify).
Would rewrite 1 file of 1 (1 x TR101). Nothing left.
""")

    def test_a_second_run_changes_nothing(self, invoke):
        path = write("f.py", "worse(bad())\n")
        invoke("apply")
        before = path.stat().st_mtime_ns
        result = invoke("apply", "--check")
        assert (path.stat().st_mtime_ns, result.exit_code) == (before, 0)

    def test_standard_input_to_standard_output(self, invoke):
        result = invoke("apply", "-", input="bad()\r\nx")
        assert (result.exit_code, result.stdout_bytes) == (0, b"good()\r\nx")
        unchanged = invoke("apply", "-", input="x = 1")
        assert unchanged.stdout_bytes == b"x = 1"

    def test_standard_input_as_a_patch(self, invoke):
        result = invoke("apply", "-", "--dry-run", "--stdin-filename", "d/f.py", input="bad()\n")
        assert result.stdout == "--- a/d/f.py\n+++ b/d/f.py\n@@ -1 +1 @@\n-bad()\n+good()\n"

    def test_the_patch_of_many_files_is_what_apply_does(self, invoke, tmp_path):
        texts = {
            "a.py": b"bad()\n",
            "d/b.py": b"x = 1\r\nbad()\r\n",
            "d/with space.py": b"\xef\xbb\xbfworse()",
            "latin.py": b"# coding: latin-1\nbad('\xe9')\n",
            "same.py": b"x = 1\n",
            "stays.py": b"stuck()\n",
        }
        for name, data in texts.items():
            write(name, "").write_bytes(data)
        subprocess.run(["git", "init", "-q", "."], check=True)
        subprocess.run(["git", "config", "core.autocrlf", "false"], check=True)
        patch = invoke("apply", "--dry-run").stdout_bytes
        invoke("apply")
        applied = {name: Path(name).read_bytes() for name in texts}
        for name, data in texts.items():
            Path(name).write_bytes(data)
        subprocess.run(["git", "apply", "-"], input=patch, check=True)
        assert {name: Path(name).read_bytes() for name in texts} == applied
        assert applied["latin.py"] == b"# coding: latin-1\ngood('\xe9')\n"
        assert applied["d/with space.py"] == b"\xef\xbb\xbfgood()"


class TestVerification:
    """What is said about verdicts; the judge here answers by the text."""

    @pytest.fixture(autouse=True)
    def judge(self, monkeypatch):
        def answer(request: Request) -> Verdict:
            before = Counts(
                graphs=3, break_sites=(Site("f.py", 1, "data-dependent"), Site("f.py", 2, "data-dependent"))
            )
            if "good(2)" in request.new:
                return Verdict("REFUTED", ("the result differs",), counterexample="f(1)\ng(2)\n", before=before)
            if "guessed" in request.new:
                return Verdict("UNVERIFIED", ("importing it raises ValueError: no",))
            after = Counts(graphs=2, break_sites=(Site("f.py", 2, "data-dependent"),), recompiles=1, captured_ratio=1.0)
            return Verdict("VERIFIED", before=before, after=after, arms=(Arm(1, 0, 2, 3),), seed=request.seed)

        monkeypatch.setattr(refactor.engine, "default_judge", answer)

    def test_the_verdict_is_a_line_and_a_refuted_fix_is_shown(self, invoke):
        path = write("f.py", "bad(1)\nbad(2)\n")
        result = invoke("apply", "--factory", "make", "--seed", "7")
        assert path.read_text() == "good(1)\nbad(2)\n"
        assert result.exit_code == 1
        assert result.stdout == snapshot("""\
TR101 [*] `bad` is called
 --> f.py:2:1
  |
2 | bad(2)
  | ^^^^^^
  = why: it is called so (proved)
  = taken back: refuted when run: the result differs
  = see it:
    f(1)
    g(2)

f.py: VERIFIED, breaks 2 -> 1, graphs 3 -> 2, recompiles 0 -> 1, 1 of 1 condition reached both ways, seed 7
Rewrote 1 file of 1 (1 x TR101). 1 finding left.
""")

    def test_concise(self, invoke):
        write("f.py", "bad(1)\nbad(2)\n")
        assert invoke("apply", "--factory", "make", "--output-format", "concise").stdout == snapshot("""\
f.py:2:1: TR101 [*] `bad` is called (taken back: refuted when run: the result differs)
f.py: VERIFIED, breaks 2 -> 1, graphs 3 -> 2, recompiles 0 -> 1, 1 of 1 condition reached both ways, seed 0
Rewrote 1 file of 1 (1 x TR101). 1 finding left.
""")

    def test_an_original_that_cannot_be_run_is_an_error_and_untouched(self, invoke):
        path = write("f.py", "guess()\n")
        result = invoke("apply", "--factory", "make")
        assert (result.exit_code, result.stderr) == (
            2,
            "error: f.py: cannot be run: importing it raises ValueError: no\n",
        )
        assert path.read_text() == "guess()\n"

    def test_entries_of_the_settings_name_what_to_run(self, invoke):
        write(
            "pyproject.toml", "[[tool.refactor.entry]]\npath = 'pkg/*.py'\nfactory = 'runs.py:make'\ninputs = 'calls'\n"
        )
        write("runs.py", "")
        write("pkg/f.py", "bad(2)\n")
        write("other.py", "bad(2)\n")
        invoke("apply")
        assert Path("pkg/f.py").read_text() == "bad(2)\n"
        assert Path("other.py").read_text() == "good(2)\n"
        Path("runs.py").unlink()
        assert invoke("apply").stderr.endswith("runs.py: `runs.py:make` names a file that does not exist\n")

    def test_verify(self, invoke):
        write("old.py", "bad(1)\n")
        write("new.py", "good(1)\n")
        result = invoke("verify", "old.py", "new.py", "--factory", "make")
        assert (result.exit_code, result.stdout) == (
            0,
            snapshot("""\
new.py: VERIFIED, breaks 2 -> 1, graphs 3 -> 2, recompiles 0 -> 1, 1 of 1 condition reached both ways, seed 0
  still breaks at line 2: data-dependent
"""),
        )

    def test_verify_that_is_refuted(self, invoke):
        write("old.py", "bad(2)\n")
        write("new.py", "good(2)\n")
        result = invoke("verify", "old.py", "new.py", "--factory", "make")
        assert (result.exit_code, result.stdout) == (
            1,
            snapshot("""\
new.py: REFUTED, seed 0
  the result differs
  counterexample:
    f(1)
    g(2)
"""),
        )
        document = json.loads(invoke("verify", "old.py", "new.py", "--output-format", "json").stdout)
        assert (document["verdict"]["status"], document["verdict"]["gains"]) == ("REFUTED", False)

    def test_verify_of_an_original_that_cannot_be_run(self, invoke):
        write("old.py", "guess()\n")
        write("new.py", "guessed()\n")
        result = invoke("verify", "old.py", "new.py", "--factory", "make")
        assert (result.exit_code, result.stdout) == (
            1,
            snapshot("""\
new.py: UNVERIFIED, seed 0
  importing it raises ValueError: no
"""),
        )


class TestOtherCommands:
    def test_config(self, invoke, tmp_path):
        write("pyproject.toml", "[tool.refactor]\nseed = 4\n")
        lines = invoke("config", "--config", "jobs = 2").stdout.splitlines()
        assert f"seed = 4  # {tmp_path}/pyproject.toml:2" in lines
        assert "jobs = 2  # --config" in lines
        assert 'verify = "auto"  # default' in lines

    def test_config_as_json(self, invoke):
        document = json.loads(invoke("config", "--output-format", "json").stdout)
        assert document["settings"]["verify"] == {"value": "auto", "origin": "default"}

    def test_rule(self, invoke):
        result = invoke("rule", "TR900")
        assert result.stdout.startswith("# unused-suppression (TR900)\n\nAn ignore comment suppresses nothing.\n")
        assert invoke("rule", "TR9000").stderr.startswith("error: no rule is called `TR9000` (did you mean `TR900`?)")

    def test_all_rules_as_json(self, invoke):
        rules = json.loads(invoke("rule", "--all", "--output-format", "json").stdout)["rules"]
        assert rules[-1]["code"] == "TR900"
        assert rules[-1]["summary"] == "An ignore comment suppresses nothing."

    def test_version(self, invoke):
        assert invoke("--version").stdout == "refactor 0.1.0\n"


class TestProcess:
    """What can only be seen from outside."""

    HEAVY = ("torch", "hypothesis", "libcst")

    @pytest.mark.parametrize(
        "arguments", [["--help"], ["apply", "--help"], ["config"], ["check", "f.py"], ["rule", "--all"]]
    )
    def test_nothing_heavy_is_imported(self, tmp_path, arguments):
        (tmp_path / "f.py").write_text(
            "import torch\n\n\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n"
        )
        code = (
            "import sys\nfrom refactor.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit as e:\n"
            f"    assert e.code in (0, 1), e.code\nprint([m for m in {self.HEAVY!r} if m in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"

    def test_python_m(self, tmp_path):
        done = subprocess.run(
            [sys.executable, "-m", "refactor", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout == "refactor 0.1.0\n"

    def test_a_reader_that_goes_away_is_no_error(self, tmp_path):
        process = subprocess.Popen(
            [sys.executable, "-m", "refactor", "rule", "--all"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        assert (process.wait(), errors) == (1, b"")

    def test_several_processes_give_the_same_report(self, tmp_path):
        for number in range(40):
            (tmp_path / f"f{number:02}.py").write_text(
                "x = 1  # refactor: ignore\n" * (number % 3) or "x = (\n" * (number == 9)
            )
        reports = [
            subprocess.run(
                [sys.executable, "-m", "refactor", "check", "--jobs", jobs, "--output-format", "concise"],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            for jobs in ("1", "2")
        ]
        assert reports[0].stdout == reports[1].stdout
        assert reports[0].stderr == reports[1].stderr
        assert reports[0].returncode == reports[1].returncode == 2
        assert "f02.py:2:8: TR900" in reports[0].stdout

    @pytest.mark.parametrize(
        ("environment", "coloured"),
        [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
    )
    def test_colour(self, invoke, environment, coloured):
        write("f.py", "bad()\n")
        result = invoke("check", env={"NO_COLOR": None, "FORCE_COLOR": None, **environment}, color=coloured)
        assert ("\x1b[" in result.stdout) is coloured
