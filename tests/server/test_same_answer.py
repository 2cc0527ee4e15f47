"""Contract 10: a file by its path, on standard input, in the editor and in a hook gives equal findings and edits."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import click.testing
import pytest

from refactor.cli import main

from .conftest import Editor, offset

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEAD = "import torch\nfrom torch import nn\n\n\n"
BRANCH = (
    "class Gate(nn.Module):\n    def forward(self, x):\n        h = torch.relu(x)\n        if h.sum() > 0.5:\n"
    "            h = h * 2\n        return h\n"
)
PRINT = "class Say(nn.Module):\n    def forward(self, x):\n        print(f'{x.sum()}')\n        return x\n"
LOOP = (
    "class Loop(nn.Module):\n    def forward(self, x):\n        for i in range(3):\n            print(i)\n"
    "            x = x + 1\n        return x\n"
)
TABLE = {
    "branch": HEAD + BRANCH,
    "print": HEAD + PRINT,
    "several": HEAD + BRANCH + "\n\n" + PRINT + "\n\n" + LOOP,
    "windows": (HEAD + BRANCH + "\n\n" + PRINT).replace("\n", "\r\n"),
    "wide": HEAD + BRANCH.replace("h = torch", "s = '漢😀'; h = torch").replace("0.5:", "0.5:  # é"),
    "tabs": (HEAD + BRANCH).replace("    ", "\t"),
    "no last newline": (HEAD + BRANCH).rstrip("\n"),
    "ignored": HEAD + BRANCH.replace("0.5:", "0.5:  # refactor: ignore[TR101]"),
    "useless comment": HEAD + BRANCH.replace("return h", "return h  # refactor: ignore"),
    "no fix": HEAD + BRANCH.replace("h = h * 2", "self.h = h"),
    "nothing": "x = 1\n",
    "empty": "",
    "wrong": "import torch\nx = (\n",
    "form feed": HEAD + "\x0c\n" + BRANCH,
}
Row = tuple[str | None, int, int, int, int, str]


def cli(*arguments: str, text: str | None = None) -> dict[str, Any]:
    done = click.testing.CliRunner().invoke(
        main, [*arguments, "--isolated", "--output-format", "json"], input=None if text is None else text.encode()
    )
    return json.loads(done.stdout)


def rows(document: dict[str, Any]) -> list[Row]:
    """The findings, or the error, of a report."""
    found: list[Row] = [
        (
            item["code"],
            item["location"]["line"],
            item["location"]["column"],
            item["end_location"]["line"],
            item["end_location"]["column"],
            item["message"],
        )
        for file in document["files"]
        for item in file["findings"]
    ]
    return found or [(None, error["line"], 0, 0, 0, error["message"]) for error in document["errors"]]


async def served(editor: Editor, uri: str) -> list[Row]:
    """The same, as the editor has it."""
    text = editor.texts[uri]
    told: list[Row] = []
    for item in (await editor.pull(uri)).items:
        if item.code is None:
            return [(None, item.range.start.line + 1, 0, 0, 0, item.message)]
        ends = [offset(text, place) for place in (item.range.start, item.range.end)]
        columns = [len(text[:at].replace("\r\n", "\n").replace("\r", "\n").rpartition("\n")[2]) + 1 for at in ends]
        lines = item.range.start.line + 1, item.range.end.line + 1
        message = item.message.split("\nno fix: ")[0]
        told.append((item.code, lines[0], columns[0], lines[1], columns[1], message))
    return told


@pytest.mark.parametrize("name", TABLE)
async def test_findings_and_edits(editor: Editor, tmp_path: Path, name: str) -> None:
    text = TABLE[name]
    path = tmp_path / "model.py"
    path.write_bytes(text.encode())
    by_file = cli("check", str(path))
    by_stdin = cli("check", "-", "--stdin-filename", str(path), text=text)
    uri = editor.open(path, text)
    assert rows(by_stdin) == rows(by_file) == await served(editor, uri)

    by_stdin = cli("apply", "-", "--stdin-filename", str(path), "--verify", "off", text=text)
    by_file = cli("apply", "--verify", "off", str(path))
    new = path.read_bytes().decode()
    assert [file["patch"] for file in by_stdin["files"]] == [file["patch"] for file in by_file["files"]]
    actions = await editor.actions(uri, 0, only=["source.fixAll"])
    assert (await editor.after(uri, actions[0]) if actions else text) == new

    # What the hook runs.
    path.write_bytes(text.encode())
    subprocess.run(
        [sys.executable, "-m", "refactor", "apply", "--verify", "off", "--isolated", str(path)],
        capture_output=True,
        check=False,
    )
    assert path.read_bytes().decode() == new


SNIPPETS = (
    *("        h = h + 1\n", "# 漢字 😀\n", "\n", "\r\n", "\x0c\n", "            return x\n"),
    *("        print(f'é😀 {x}')\n", "        if h.sum() > 3:\n            h = h - 1\n"),
    *("😀", "(", "'", "x", "  ", "    ", '"""', "  # refactor: ignore"),
)


def program(lines: int) -> str:
    """Models one below the other."""
    parts = [HEAD.rstrip("\n") + "\n"]
    while sum(part.count("\n") for part in parts) < lines:
        parts.append("\n\n" + (BRANCH, PRINT, LOOP)[len(parts) % 3].replace("(nn", f"{len(parts)}(nn"))
    return "".join(parts)


@pytest.mark.parametrize(
    ("lines", "edits"), [(150, 40), pytest.param(3000, 200, marks=pytest.mark.slow)], ids=["150", "3000"]
)
async def test_after_random_edits(editor: Editor, tmp_path: Path, lines: int, edits: int) -> None:
    chance = random.Random(lines)
    path = tmp_path / "model.py"
    text = program(lines)
    assert text.count("\n") >= lines
    uri = editor.open(path, text)
    wrong = 0
    for number in range(edits):
        text = editor.texts[uri]
        at = chance.randrange(len(text) + 1)
        if chance.random() < 0.7:
            # Whole lines keep a text Python more often than not.
            at = text.rfind("\n", 0, at) + 1
        end = min(len(text), at + chance.choice((0, 0, 0, 1, 7, 40)))
        inside = [place for place in (at, end) if text[place - 1 : place + 1] == "\r\n"]
        if inside:
            continue
        editor.type(uri, at, end, chance.choice(SNIPPETS))
        by_cli = rows(cli("check", "-", "--stdin-filename", str(path), text=editor.texts[uri]))
        told = await served(editor, uri)
        assert told == by_cli, f"after {number + 1} edits"
        if by_cli and by_cli[0][0] is None:
            wrong += 1
            # Take it back, so that the next edit meets Python again.
            editor.replace(uri, text) if chance.random() < 0.5 else editor.type(
                uri, at, at + len(editor.texts[uri]) - len(text) + end - at, text[at:end]
            )
            assert editor.texts[uri] == text
    assert wrong < edits * 0.8
