"""Cutting: from plans to text edits. `bench` imports libcst, so it is imported only where a fix is wanted."""
