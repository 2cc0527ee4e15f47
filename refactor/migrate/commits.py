"""A branch with one commit per rule, as a git bundle."""

from __future__ import annotations

import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from ..engine import Rewrite
from ..files import read, write
from ..passes import Aim, settle
from ..transforms.model import RuleSettings
from .git import BRANCH, Checkout


def bundle(tree: Checkout, changes: Mapping[str, Rewrite], texts: Mapping[str, str]) -> bytes:
    """Commit what was changed, rule by rule, and return the branch as a bundle.

    Commits are made with the user's own configuration: name, address, signing and global hooks. The tree is left as it
    was found.

    Args:
        tree: the checkout.
        changes: the rewritten files.
        texts: their texts as they are to be in the end.

    Raises:
        GitError: git, or one of the user's hooks, refuses a commit.
    """
    steps = _steps(changes, texts)
    tree.git("checkout", "--quiet", "-B", BRANCH)
    for code, after in sorted(steps.items()):
        for path, text in after.items():
            _put(tree.root / path, text)
        tree.git("add", "--", *after)
        message = _message(code, {path: changes[path] for path in after})
        tree.git("commit", "--quiet", "--message", message, clean=False)
    handle, name = tempfile.mkstemp(suffix=".bundle", dir=tree.root.parent)
    os.close(handle)
    base = tree.git("rev-parse", "HEAD~" + str(len(steps))).decode().strip()
    tree.git("bundle", "create", "--quiet", name, f"{base}..{BRANCH}")
    return Path(name).read_bytes()


def _put(path: Path, text: str) -> None:
    file = read(path)
    if file.text != text:
        write(file, text)


def _steps(changes: Mapping[str, Rewrite], texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """For each rule, in order, the texts of the files that it changes, after it and all rules before it.

    Where the rules of a file build on each other's work, the file changes at once, under the last of them.
    """
    steps: dict[str, dict[str, str]] = defaultdict(dict)
    for path, result in changes.items():
        codes = sorted({item.finding.code for item, _ in result.fixes})
        texts_after = [_only(result, path, codes[: count + 1]) for count in range(len(codes))]
        if texts_after[-1] == texts[path] and len(set(texts_after)) == len(codes):
            for code, text in zip(codes, texts_after, strict=True):
                steps[code][path] = text
        elif texts[path] != result.old:
            steps[codes[-1]][path] = texts[path]
    return steps


def _only(result: Rewrite, path: str, codes: list[str]) -> str:
    from ..engine import default_smith

    aim = Aim(frozenset(codes), complete=False, risky=True, settings=RuleSettings())
    return settle(result.old, path, aim, {}, default_smith()).new


def _message(code: str, changes: Mapping[str, Rewrite]) -> str:
    from ..transforms.rule import registry

    fixes = {path: [item for item, _ in result.fixes if item.finding.code == code] for path, result in changes.items()}
    count = sum(map(len, fixes.values()))
    verdicts = Counter(result.verdict.status if result.verdict else "not run" for result in changes.values())
    lines = [f"{code} {registry()[code].name}: {count} fixes in {len(changes)} files", ""]
    lines += [f"{path}:{item.line}: {item.fix.summary}" for path, found in fixes.items() for item in found]
    lines += ["", "Verdicts: " + ", ".join(f"{number} {status}" for status, number in sorted(verdicts.items()))]
    return "\n".join(lines)
