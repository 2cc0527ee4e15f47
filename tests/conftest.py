"""What every test runs under: one thread, and generated examples that are the same on every machine."""

from __future__ import annotations

import os

# Before anything imports torch: one thread sums in one order, and two test workers share the cores.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

from hypothesis import HealthCheck, settings

# A deadline is a timing assertion, and a shared machine fails those by itself.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
