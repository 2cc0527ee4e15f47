"""IPython's own syntax: what is no Python is set aside behind calls and imports, and put back afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LEXEME = re.compile(r"""(?P<quote>\"\"\"|'''|"|')|(?P<comment>#.*)|(?P<open>[\[({])|(?P<close>[\])}])|(?P<skip>\\.)""")
_MAGIC = re.compile(
    r"(?P<margin>\s*)(?P<target>[\w.,\[\]'\" *]+?\s*=\s*(?=[%!]))?(?P<magic>[%!?].*|[^#'\"]*\?{1,2}\s*$)"
)
_CELL_MAGIC = re.compile(r"%%\s*(\w+)")
# The first line is IPython's, the rest is Python that runs where it stands.
_PYTHON_CELLS = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun"})
# These leave the names of the notebook alone; any other cell magic may define some.
_APART = frozenset(
    {"bash", "cmd", "file", "html", "HTML", "javascript", "js", "latex", "markdown", "perl", "ruby", "script"}
    | {"sh", "svg", "SVG", "writefile"}
)
# Line magics that bring names along.
_BRINGS_NAMES = re.compile(r"%\s*(run|pylab|load|loadpy|recall|rerun|macro|store|reset|reset_selective|env|edit)\b")


@dataclass
class Magics:
    """The magics of a notebook, each as (what stands in for it, what it is), in order."""

    aside: list[tuple[str, str]] = field(default_factory=list)

    def set_aside(self, cell: str) -> str:
        """A cell as Python: every magic is a call of something unknown, or a star import where it may bring names."""
        head = next((line for line in cell.split("\n") if line.strip()), "")
        whole = _CELL_MAGIC.match(head)
        if whole and whole[1] not in _PYTHON_CELLS:
            return self._stand_in(cell, names=whole[1] not in _APART)
        return "\n".join(self._lines(cell.split("\n")))

    def put_back(self, text: str) -> str | None:
        """The text with its magics, None where one of them is lost, repeated or moved past another."""
        pieces, at = [], 0
        for token, magic in self.aside:
            found = text.find(token, at)
            if found < 0 or text.count(token) > 1:
                return None
            pieces += [text[at:found], magic]
            at = found + len(token)
        return "".join([*pieces, text[at:]])

    def _lines(self, lines: list[str]) -> list[str]:
        out: list[str] = []
        quote, depth, at = "", 0, 0
        while at < len(lines):
            line, at = lines[at], at + 1
            found = _MAGIC.fullmatch(line) if not quote and not depth and not _continues(out) else None
            if found is None:
                quote, depth = _after(line, quote, depth)
                out.append(line)
                continue
            magic = found["magic"]
            while magic.endswith("\\") and at < len(lines):
                magic, at = f"{magic}\n{lines[at]}", at + 1
            names = not found["margin"] and not found["target"] and bool(_BRINGS_NAMES.match(magic))
            out.append(found["margin"] + (found["target"] or "") + self._stand_in(magic, names))
        return out

    def _stand_in(self, text: str, names: bool) -> str:
        number = len(self.aside)
        token = f"from _refactor_magic_{number}_ import *" if names else f"_refactor_magic_{number}_()"
        # As many lines as it stands for, so that the lines below keep their numbers.
        token += "\n" * text.count("\n")
        self.aside.append((token, text))
        return token


def _continues(lines: list[str]) -> bool:
    return bool(lines) and lines[-1].endswith("\\")


def _after(line: str, quote: str, depth: int) -> tuple[str, int]:
    """The string that is open at the end of a line, empty for none, and how many brackets are."""
    at = 0
    while at < len(line):
        if quote:
            end = re.compile(rf"\\.|{re.escape(quote)}").search(line, at)
            if end is None:
                # Only a triple quote reaches past the end of its line.
                return (quote if len(quote) > 1 or line.endswith("\\") else ""), depth
            quote, at = ("" if end.group() == quote else quote), end.end()
            continue
        found = _LEXEME.search(line, at)
        if found is None or found["comment"]:
            break
        quote, at = found["quote"] or "", found.end()
        depth = max(0, depth + bool(found["open"]) - bool(found["close"]))
    return quote, depth
