"""The second process of a judge's."""

from __future__ import annotations

import os
import signal

import pytest

from refactor.verify.aside import Aside, AsideError, Plain


def doubled(question: Plain) -> Plain:
    return {"number": question["number"] * 2, "pid": os.getpid()}


def test_it_answers_in_another_process() -> None:
    answer = Aside(lambda: None, doubled).ask({"number": 4})()
    assert answer["number"] == 8
    assert answer["pid"] != os.getpid()


def test_an_answer_that_nobody_waited_for_is_passed_over() -> None:
    aside = Aside(lambda: None, doubled)
    aside.ask({"number": 1})
    assert aside.ask({"number": 5})()["number"] == 10


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda _: os.kill(os.getpid(), signal.SIGKILL), "was ended by SIGKILL"),
        (lambda _: os._exit(3), "ended itself with exit code 3"),
    ],
    ids=["signal", "exit"],
)
def test_its_end_is_told(end, words: str) -> None:
    answer = Aside(lambda: None, end).ask({})
    with pytest.raises(AsideError, match=words):
        answer()


def test_work_that_raises_ends_it() -> None:
    def fails(_: Plain) -> Plain:
        raise ValueError

    answer = Aside(lambda: None, fails).ask({})
    with pytest.raises(AsideError, match="exit code 70"):
        answer()
