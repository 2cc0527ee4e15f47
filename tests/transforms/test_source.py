"""Positions, offsets, lines and indentation of a text."""

from __future__ import annotations

import ast

import pytest

from refactor.transforms.model import Edit, Span
from refactor.transforms.smith import apply_edits
from refactor.transforms.source import Source


def named(source: Source, name: str) -> ast.Name:
    return next(n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == name)


@pytest.mark.parametrize(
    ("text", "newline"),
    [("a\nb\n", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb", "\r"), ("a", "\n"), ("", "\n")],
)
def test_newline(text: str, newline: str) -> None:
    assert Source(text).newline == newline


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("x = 1\n", "    "),
        ("if x:\n  y\n", "  "),
        ("if x:\n\ty\n", "\t"),
        ("class A:\n   def f(self):\n      pass\n", "   "),
        ("if x: y\nif z:\n  w\n", "  "),
        ("f = lambda: 0\nwhile x:\n  y\n", "  "),
        ("try:\n  x\nexcept E:\n  y\n", "  "),
    ],
)
def test_indent(text: str, indent: str) -> None:
    assert Source(text).indent == indent


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("target", 0),
        ("x = 'é€😀', target", 11),
        ("\ufefftarget", 1),
        ("\ufeffx = 1\ntarget", 7),
        ("x = 1\r\ntarget", 7),
        ("x = 1\rtarget", 6),
        ("x = 1\n\ftarget", 7),
        ("'''\r\n'''; target", 10),
        ("x = '\u2028'; target", 9),  # a line end for str.splitlines, not for Python
        ("x = (1 +\\\n  target)", 12),
    ],
)
def test_offsets(text: str, start: int) -> None:
    source = Source(text)
    node = named(source, "target")
    assert source.span(node) == Span(start, start + 6)
    assert source.code(node) == "target"


def test_places_count_characters() -> None:
    source = Source("x = 'é'\ny = '😀' + target")
    place = source.place(named(source, "target"))
    assert (place.line, place.column, place.end_line, place.end_column) == (2, 10, 2, 16)


def test_lines() -> None:
    source = Source("one\r\ntwo\nthree")
    assert [source.line(n) for n in (1, 2, 3)] == ["one", "two", "three"]
    assert (source.line_start(2), source.line_end(2), source.line_start(4), source.line_count) == (5, 8, 14, 3)
    assert [source.position(o) for o in (0, 4, 5, 9, 14)] == [(1, 0), (1, 4), (2, 0), (3, 0), (3, 5)]


def test_margin_stops_at_form_feeds() -> None:
    source = Source("if x:\n    target\n\f\nif y:\n\f    other\n")
    assert source.margin(named(source, "target")) == "    "
    assert source.margin(named(source, "other")) == "    "


@pytest.mark.parametrize("text", ["x =", "\0", "def f(:", "if x:\npass"])
def test_what_is_no_python_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        Source(text)


def test_edits() -> None:
    edits = [Edit(Span(4, 5), "two"), Edit(Span(0, 1), "one"), Edit(Span(9, 9), "!")]
    assert apply_edits("a = b + c", edits) == "one = two + c!"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Span(0, 2), Span(2, 3), False),
        (Span(0, 2), Span(1, 3), True),
        (Span(1, 1), Span(1, 1), True),
        (Span(1, 1), Span(0, 2), True),
        (Span(2, 2), Span(0, 2), False),
    ],
)
def test_overlap(a: Span, b: Span, expected: bool) -> None:
    assert a.overlaps(b) is b.overlaps(a) is expected
