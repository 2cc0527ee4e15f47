"""Positions, offsets and edits."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from refactor.server.text import Text

from .conftest import edited, offset, position

PIECES = ["a", "b", "\t", "é", "漢b", "😀", "\r", "\n", "\r\n", "\r\n", "\x0c", "\u2028"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
ENCODINGS = {"utf-16-le": types.PositionEncodingKind.Utf16, "utf-8": types.PositionEncodingKind.Utf8}


@given(TEXTS, st.sampled_from(sorted(ENCODINGS)))
def test_positions_are_those_of_the_protocol(text: str, encoding: str) -> None:
    own = Text(text, ENCODINGS[encoding])
    for at in range(len(text) + 1):
        if text[at - 1 : at + 1] != "\r\n":
            place = own.position(at)
            assert place == position(text, at, encoding)
            assert own.offset(place) == at == offset(text, place, encoding)


@given(TEXTS, TEXTS)
def test_edits_make_the_other_text(old: str, new: str) -> None:
    assert edited(old, Text(old).edits(new)) == new


@given(TEXTS, st.randoms(use_true_random=False), TEXTS)
def test_a_change_is_carried_out(text: str, chance: random.Random, new: str) -> None:
    ends = [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n"]
    start, end = sorted((chance.choice(ends), chance.choice(ends)))
    change = types.TextDocumentContentChangePartial(types.Range(position(text, start), position(text, end)), new)
    assert Text(text).changed(change).text == text[:start] + new + text[end:]


@pytest.mark.parametrize(
    ("line", "character", "at"), [(0, 99, 2), (0, 1, 1), (1, 0, 4), (1, 1, 5), (1, 2, 5), (9, 9, 6)]
)
def test_a_position_that_is_none_is_the_nearest(line: int, character: int, at: int) -> None:
    # The second half of a surrogate pair, the end of a line, the end of the text.
    assert Text("ab\r\n😀x").offset(types.Position(line, character)) == at


def test_edits_are_small() -> None:
    (edit,) = Text("a = 1\r\nb = 2\r\n").edits("a = 1\r\nb = 3\r\n")
    assert (edit.range, edit.new_text) == (types.Range(types.Position(1, 4), types.Position(1, 5)), "3")
