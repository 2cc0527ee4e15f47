"""Suppression comments, and those that suppress nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refactor.engine import inspect


def found(text, smith, options):
    return [(finding.code, finding.line, finding.column) for finding in inspect(text, "f.py", options, smith)[1]]


@pytest.mark.parametrize(
    "text",
    [
        "bad()  # refactor: ignore\n",
        "bad()  # refactor: ignore[TR101]\n",
        "bad()  # refactor: ignore[TR1]\n",
        "bad()  # refactor: ignore[TR999, TR101]\n",
        "bad()  # noqa  # refactor:ignore[TR101] - because\n",
        "bad(  # refactor: ignore\n)\n",
        "bad(\n)  # refactor: ignore\n",
        "# refactor: ignore-file\nbad()\nstuck()\n",
        "bad()\n# refactor: ignore-file[TR101]\n",
        "\ufeffbad()  # refactor: ignore\r\n",
        "x = 'é'; bad()  # refactor: ignore",
    ],
)
def test_suppressed(text, smith, everything):
    assert found(text, smith, everything) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bad()\n", [("TR101", 1, 0)]),
        ("bad()  # refactor: ignorant\n", [("TR101", 1, 0)]),
        ("bad()  # refactor: ignore-all\n", [("TR101", 1, 0)]),
        ("'# refactor: ignore'; bad()\n", [("TR101", 1, 22)]),
        ("bad('''\n# refactor: ignore\n''')\n", [("TR101", 1, 0)]),
        ("bad(\n  # refactor: ignore\n)\n", [("TR101", 1, 0), ("TR900", 2, 2)]),
        ("bad()  # refactor: ignore[TR2]\n", [("TR101", 1, 0), ("TR900", 1, 7)]),
        ("x = 1  # refactor: ignore[TR101]\n", [("TR900", 1, 7)]),
        ("x = 1  # keep  # refactor: ignore\n", [("TR900", 1, 15)]),
        ("\ufeffx = 1  # refactor: ignore\n", [("TR900", 1, 7)]),
        ("# refactor: ignore-file\n", [("TR900", 1, 0)]),
        ("# refactor: ignore-file[TR2]\nbad()\n", [("TR900", 1, 0), ("TR101", 2, 0)]),
    ],
)
def test_not_suppressed(text, expected, smith, everything):
    assert found(text, smith, everything) == expected


def test_a_comment_for_a_rule_that_was_not_looked_for_may_be_needed(smith, everything):
    options = replace(everything, select=frozenset({"TR101", "TR900"}), complete=False)
    assert found("x = 1  # refactor: ignore[TR102]\nx  # refactor: ignore\n", smith, options) == []
    assert found("x = 1  # refactor: ignore[TR101]\n", smith, options) == [("TR900", 1, 7)]


def test_without_the_meta_rule_nothing_is_said(smith, everything):
    options = replace(everything, select=everything.select - {"TR900"})
    assert found("x = 1  # refactor: ignore\n", smith, options) == []


def test_the_comment_for_the_meta_rule_itself_counts_as_unused(smith, everything):
    assert found("x = 1  # refactor: ignore[TR900]\n", smith, everything) == [("TR900", 1, 7)]


def test_a_useless_comment_behind_a_byte_order_mark_is_at_its_place(smith, everything):
    text = "\ufeffx = 1  # refactor: ignore\n"
    (finding,) = inspect(text, "f.py", everything, smith)[1]
    assert text[finding.span.start : finding.span.end] == "# refactor: ignore"
