"""What every test runs under: one thread, and generated examples that are the same on every machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

# Before anything imports torch: one thread sums in one order, and two test workers share the cores.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import pytest
from hypothesis import HealthCheck, settings

# A deadline is a timing assertion, and a shared machine fails those by itself.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

BROWSERS = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser without a window; a test that needs one is skipped, with the reason, where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser is installed: none of {', '.join(BROWSERS)}")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()
