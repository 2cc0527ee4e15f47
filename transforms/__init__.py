"""The smith: source text in, findings with edits out. Imports neither torch nor click, and does no I/O."""
