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


def test_what_the_work_raises_is_told_and_ends_nothing() -> None:
    def fails(question: Plain) -> Plain:
        raise ValueError(f"no {question['number']}\nand more")

    aside = Aside(lambda: None, fails)
    for number in (1, 2):
        answer = aside.ask({"number": number})
        with pytest.raises(AsideError, match=f"^the process that compiles failed: ValueError: no {number}$"):
            answer()


def test_a_preparation_that_raises_ends_it() -> None:
    answer = Aside(lambda: [][0], doubled).ask({})
    with pytest.raises(AsideError, match="exit code 70"):
        answer()
