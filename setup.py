"""Lists the packages below each of the three top-level folders; everything else stands in pyproject.toml."""

from __future__ import annotations

from setuptools import find_packages, setup

ROOTS = {"refactor": "refactor", "refactor.transforms": "transforms", "refactor.verify": "verify"}

setup(
    packages=[
        name for root, folder in ROOTS.items() for name in (root, *(f"{root}.{p}" for p in find_packages(folder)))
    ]
)
