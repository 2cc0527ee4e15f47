"""The pages of a migration's report in a browser: sorting, filtering, drilling down, narrow windows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refactor.migrate.commands import report
from refactor.migrate.ledger import NAME, Ledger
from refactor.migrate.model import FileRow, FindingRow, FixRow, Origin, Outcome, VerdictRow
from refactor.migrate.run import keep

PATCH = b"""\
diff --git a/m.py b/m.py
--- a/m.py
+++ b/m.py
@@ -1,2 +1,2 @@
 import torch
-x = a < b
+x = _where(a < b)
"""


def outcome(name: str, fixes: int) -> Outcome:
    file = FileRow(
        "m.py",
        "rewritten",
        verdict=VerdictRow("VERIFIED", "no difference", (fixes, 0), (2, 1), (0, 0)),
        fixes=tuple(FixRow(line, "TR101", "keep <the> branch", "safe", "verified") for line in range(fixes)),
        findings=(FindingRow(7, 1, "TR401", "a loop", "no bound"),),
    )
    return Outcome(Origin(name, f"https://host.example/{name}"), "done", files=(file,), patch=PATCH)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    with Ledger(tmp_path / NAME) as ledger:
        for name, fixes in (("alpha", 9), ("beta", 10), ("gamma", 1)):
            keep(tmp_path, outcome(name, fixes))
            ledger.enter(outcome(name, fixes))
        ledger.enter(Outcome(Origin("delta", "nowhere"), "failed", error="neither a folder nor a git URL"))
    report(tmp_path, "html", None)
    return tmp_path / "report" / "index.html"


def names(page: Any) -> list[str]:
    rows = page.locator("#repositories tbody tr")
    return [row.locator("td").first.inner_text() for row in rows.all() if row.is_visible()]


@pytest.mark.parametrize("width", [1280, 400])
def test_sorting_filtering_and_drilling_down(browser: Any, index: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or trouble.append(request.url))
    page.goto(index.as_uri())
    assert names(page) == ["alpha", "beta", "delta", "gamma"]
    head = page.locator("#repositories th", has_text="Fixes").locator("button")
    head.click()
    assert names(page) == ["delta", "gamma", "alpha", "beta"]
    head.click()
    assert names(page) == ["beta", "alpha", "gamma", "delta"]
    page.fill("#filter", "A")
    page.fill("#filter", "AMM")
    assert names(page) == ["gamma"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("text=gamma")
    assert page.locator(".diff .add").inner_text().strip() == "+x = _where(a < b)"
    assert "keep <the> branch (verified)" in page.inner_text("body")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("text=All repositories")
    assert len(names(page)) == 4
    assert trouble == []
