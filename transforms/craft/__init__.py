"""Cutting: from plans to text edits, with libcst."""

from .bench import Bench

__all__ = ["Bench"]
