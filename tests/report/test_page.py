"""The page of `explain` in a browser: steps, the failure rate, keys, narrow windows, large programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from refactor.explained import Explanation
from refactor.report.html import page

from .synthetic import explanation

Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of an explanation from disk; any error and any request to elsewhere fails the test."""
    trouble: list[str] = []

    def opened(told: Explanation, width: int = 1280, scheme: str = "light") -> Any:
        file = tmp_path / "page.html"
        file.write_text(page(told), encoding="utf-8")
        shown = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        shown.on("pageerror", lambda error: trouble.append(str(error)))
        shown.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        shown.on("request", lambda request: None if request.url == file.as_uri() else trouble.append(request.url))
        shown.goto(file.as_uri())
        return shown

    yield opened
    assert trouble == []


def told(shown: Any, side: str = "before") -> str:
    return str(shown.inner_text(f'#route .side[data-side="{side}"] .told'))


def test_steps_lead_through_a_call_and_on_to_the_next(open_page: Open) -> None:
    shown = open_page(explanation(lines=60, sites=3, calls=12))
    assert "compiled for the first time in 50.0 ms, as entry 0/0" in told(shown)
    shown.click("#step-on")
    assert "model.py:15 a Python branch needs the value of a tensor" in told(shown)
    assert shown.locator("#before-at-0.lit").count() == 1
    for _ in range(6):
        shown.click("#step-on")
    assert shown.inner_text("#call-number") == "2"
    assert "Guards checked: they hold. Entry 0/0 of the cache serves." in told(shown)
    shown.click("#step-back")
    assert shown.inner_text("#call-number") == "1"
    assert "Graph D: 15 operators, lines 46 to 59." in told(shown)


def test_a_failed_guard_is_told_with_what_was_rebuilt(open_page: Open) -> None:
    shown = open_page(explanation(lines=60, sites=3, calls=12))
    shown.fill("#call", "3")
    assert "Guards checked: the one entry fails." in told(shown)
    assert "self.step was 0 when it was compiled, and is 3 at model.py:2" in told(shown)
    assert "Rebuilt in 300 ms; the new entry 0/1 serves." in told(shown)
    assert "Entry 0/0 of the cache serves." in told(shown, "after")


def test_the_slider_redraws_the_average(open_page: Open) -> None:
    shown = open_page(explanation(lines=60, sites=3, calls=12))

    def average(side: str) -> str:
        return str(shown.inner_text(f'.average[data-side="{side}"]'))

    # 16 µs of guards, 220 µs of work and a rebuild of 0.3 s in every fourth call; 110 µs and none after the rewrite.
    assert (average("before"), average("after")) == ("75.2 ms", "110 µs")
    pixels = shown.evaluate("document.querySelector('#chart canvas').toDataURL()")
    shown.fill("#rate", "200")
    assert shown.inner_text("#rate-value") == "1.00 %"
    assert (average("before"), average("after")) == ("3.24 ms", "610 µs")
    assert shown.evaluate("document.querySelector('#chart canvas').toDataURL()") != pixels
    shown.fill("#rate", "0")
    assert (average("before"), average("after")) == ("236 µs", "110 µs")
    shown.click("#rate-reset")
    assert average("before") == "75.2 ms"


def test_the_keyboard_is_enough(open_page: Open) -> None:
    shown = open_page(explanation(lines=60, sites=3, calls=12))
    shown.focus("#route")
    shown.keyboard.press("ArrowRight")
    assert "model.py:15" in told(shown)
    shown.keyboard.press("ArrowDown")
    assert shown.inner_text("#call-number") == "2"
    shown.keyboard.press("n")
    shown.keyboard.press("n")
    assert shown.locator(".cut.lit").get_attribute("id") == "before-at-1"
    shown.focus("#rate")
    shown.keyboard.press("Home")
    assert shown.inner_text("#rate-value") == "0 %"


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out(open_page: Open, width: int, scheme: str) -> None:
    shown = open_page(explanation(lines=60, sites=3, calls=12), width, scheme)
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    both = shown.locator(".source > .side:visible").count()
    assert both == (2 if width == 1280 else 1)


def test_a_narrow_window_changes_between_the_versions(open_page: Open) -> None:
    shown = open_page(explanation(lines=60, sites=3, calls=12), 400)
    shown.click('.tab[data-side="after"]')
    assert shown.locator(".source > .side:visible").get_attribute("data-side") == "after"
    shown.click('.cuts[data-side="before"] .place >> nth=0')
    assert shown.locator(".source > .side:visible").get_attribute("data-side") == "before"


def test_the_theme_can_be_changed(open_page: Open) -> None:
    shown = open_page(explanation())
    ground = "getComputedStyle(document.body).backgroundColor"
    assert shown.evaluate(ground) == "rgb(255, 255, 255)"
    shown.click("#theme")
    assert shown.evaluate(ground) == "rgb(20, 23, 27)"


def test_a_large_program_is_whole(open_page: Open) -> None:
    shown = open_page(explanation(lines=2000, sites=300, calls=50))
    assert shown.locator(".source .row").count() == 4000
    assert shown.locator(".source .cut").count() == 300
    shown.fill(".filter", "kinds")
    assert shown.locator('.cuts[data-side="before"] > li:visible').count() == 100
    shown.fill("#call", "49")
    assert shown.locator('#route .side[data-side="before"] .steps button').count() == 601


def test_what_is_not_measured_is_not_drawn(open_page: Open) -> None:
    import dataclasses

    import msgspec

    whole = explanation(rewritten=False)
    ledger = msgspec.structs.replace(whole.before.ledger, run_us=None, guard_us=None)
    shown = open_page(dataclasses.replace(whole, before=dataclasses.replace(whole.before, ledger=ledger)))
    assert "there is no T_avg to draw" in shown.inner_text("#cost")


def test_source_is_never_markup() -> None:
    text = "x = '</script><script>alert(1)</script>'\n" * 60
    whole = explanation(rewritten=False)
    object.__setattr__(whole.before, "texts", {"model.py": text})
    html = page(whole)
    assert "<script>alert" not in html
    assert len(re.findall(r"</script>", html)) == 3
