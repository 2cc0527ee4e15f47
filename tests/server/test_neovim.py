"""A real editor: headless Neovim."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """\
import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        h = torch.relu(x)  # 漢字 😀
        s = "😀"; t = h + 1 if h.sum() > 2 else h - 1
        if h.sum() > 0.5:
            h = h * 2
        print(f"{s} {h.sum()} é")
        return t + h
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvim") is None, reason="needs Neovim (Debian: apt-get install neovim)")
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "dos"])
def test_what_is_saved_is_what_apply_writes(tmp_path: Path, newline: str) -> None:
    edited, applied, report = tmp_path / "a" / "model.py", tmp_path / "b" / "model.py", tmp_path / "report.json"
    for file in (edited, applied):
        file.parent.mkdir()
        file.write_bytes(MODEL.replace("\n", newline).encode())
    apply = ("apply", "--isolated", "--verify", "off", "--output-format", "json", str(applied))
    done = subprocess.run([sys.executable, "-m", "refactor", *apply], capture_output=True, text=True, check=False)
    fixes = json.loads(done.stdout)["files"][0]["fixes"]
    assert {fix["code"] for fix in fixes} == {"TR101", "TR302"}
    settings = {"python": sys.executable, "file": str(edited), "report": str(report)}
    numbers = {"expected": len(fixes), "line": 8}
    commands = [f"--cmd=let g:{name}={json.dumps(value)}" for name, value in {**settings, **numbers}.items()]
    arguments = [part for command in commands for part in ("--cmd", command.removeprefix("--cmd="))]
    script = Path(__file__).with_name("editor.lua")
    vim = subprocess.run(
        ["nvim", "--headless", "--clean", *arguments, "-c", f"luafile {script}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert report.exists(), vim.stderr
    seen = json.loads(report.read_text(encoding="utf-8"))
    assert seen.get("problem") is None, seen
    assert [row[0] for row in seen["diagnostics"]] == [8, 9, 11]
    # Neovim counts bytes.
    assert seen["diagnostics"][0][1] == len('        s = "😀"; t = h + 1 if '.encode())
    assert seen["quickfix"] == "Rewrite tensor-branch (TR101)"
    assert edited.read_bytes() == applied.read_bytes()
