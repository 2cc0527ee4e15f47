"""One repository from checkout to patch: what a worker does."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..commands import codes
from ..config import Resolver
from ..engine import Options, Rewrite, rewrite
from ..errors import UserError
from ..files import File, read, write
from ..work import options_for
from . import own_tests
from .bisect import guilty
from .commits import bundle
from .git import Checkout, GitError, checkout
from .model import FileRow, FindingRow, FixRow, Job, Origin, Outcome, Policy, SuiteRun, VerdictRow
from .survey import Survey, survey

# A fix is known by the file it is in and the rule that made it.
Unit = tuple[str, str]


def migrate(job: Job) -> Outcome:
    """Migrate one repository. Its code runs only where the policy verifies, tests or installs.

    Never raises for what a repository contains: that is an outcome.
    """
    started = time.monotonic()
    origin = job.origin
    try:
        policy = _policy(job)
        with tempfile.TemporaryDirectory(prefix="refactor-migrate-", ignore_cleanup_errors=True) as folder:
            tree = checkout(origin.source, origin.revision, Path(folder) / "tree")
            outcome = _Migration(origin, policy, tree, started).run()
    except GitError as error:
        return Outcome(origin, "failed", error=error.message, seconds=_since(started), transient=error.transient)
    except UserError as error:
        return Outcome(origin, "failed", error=str(error), seconds=_since(started))
    return replace(outcome, seconds=_since(started))


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)


def _policy(job: Job) -> Policy:
    """The policy with what the list says of this repository.

    Raises:
        UserError: a value that the policy does not take.
    """
    changes: dict[str, object] = dict(job.origin.settings)
    for key in ("select", "ignore"):
        if key in changes:
            changes[key] = tuple(str(changes[key]).replace(",", " ").split())
    if changes.get("verify", "off") not in ("off", "auto", "require"):
        raise UserError(f"`verify`: expected off, auto or require, got `{changes['verify']}`")
    return dataclasses.replace(job.policy, **changes)  # type: ignore[arg-type]


@dataclass
class _Migration:
    """The state of one repository's migration.

    Attributes:
        files: the files as they were, by path.
        rewrites: what became of those that were reached.
        dropped: why the fixes of a rule in a file were taken back.
    """

    origin: Origin
    policy: Policy
    tree: Checkout
    started: float
    files: dict[str, File] = field(default_factory=dict)
    rewrites: dict[str, Rewrite] = field(default_factory=dict)
    dropped: dict[Unit, str] = field(default_factory=dict)
    rows: dict[str, FileRow] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def run(self) -> Outcome:
        """The whole of it."""
        found = survey(self.tree.root, self.policy.max_bytes, self._resolver())
        runner = own_tests.Runner.of(self.policy, self.tree.root)
        before = runner.test()
        self._rewrite_all(found)
        after = self._settled_tests(runner, before)
        patch, undo = self.tree.patches()
        branch = self._bundle() if self.policy.commit and patch else b""
        return Outcome(
            self.origin,
            "done",
            revision=self.tree.revision,
            notes=(*self.notes, *runner.notes),
            files=tuple(self._row(path) for path in sorted(self.rows)),
            tests=(before, after) if before and after else None,
            patch=patch,
            undo=undo,
            bundle=branch,
        )

    def _bundle(self) -> bytes:
        try:
            return bundle(self.tree, self._changes(), self._texts())
        except GitError as error:
            self.notes.append(f"no branch was made: {error.message}")
            return b""

    def _resolver(self) -> Resolver:
        policy = self.policy
        given: dict[str, object] = {"verify": policy.verify, "timeout": policy.timeout_s, "jobs": 1}
        given |= {key: getattr(policy, key) for key in ("select", "ignore") if getattr(policy, key)}
        return Resolver(overrides=given | ({"unsafe-fixes": True} if policy.unsafe_fixes else {}))

    def _rewrite_all(self, found: Survey) -> None:
        self.rows = {path: FileRow(path, "left alone", reason) for path, reason in found.left}
        resolver = self._resolver()
        for index, path in enumerate(found.files):
            if time.monotonic() - self.started > self.policy.budget_s:
                reason = f"not reached within the budget of {self.policy.budget_s:g} s"
                self.rows |= {late: FileRow(late, "left alone", reason) for late in found.files[index:]}
                self.notes.append(f"{len(found.files) - index} files were {reason}")
                return
            self._rewrite(path, resolver)

    def _rewrite(self, path: str, resolver: Resolver) -> None:
        started = time.monotonic()
        try:
            file = read(self.tree.root / path)
            result = rewrite(file.text, path, self._options(path, resolver))
            write(file, result.new)
        except UserError as error:
            self.rows[path] = FileRow(path, "failed", error.message, _since(started))
            return
        self.files[path], self.rewrites[path] = file, result
        self.rows[path] = FileRow(path, "unchanged", seconds=_since(started))

    def _options(self, path: str, resolver: Resolver) -> Options:
        file, policy = self.tree.root / path, self.policy
        factory, inputs = (_inside(target, self.tree.root) for target in (policy.factory, policy.inputs))
        options = options_for(file, resolver.for_file(file), codes(), factory, inputs, cache=False)
        dropped = {code for where, code in self.dropped if where == path}
        return replace(options, select=options.select - dropped, complete=options.complete and not dropped)

    def _settled_tests(self, runner: own_tests.Runner, before: SuiteRun | None) -> SuiteRun | None:
        """The tests of the rewritten tree; where they are worse, the guilty fixes are found and taken back."""
        if before is None or not self._changes():
            return before
        after = runner.test()
        if after is None or not after.worse_than(before):
            return after
        resolver = self._resolver()
        units = [(path, code) for path, result in self._changes().items() for code in _codes(result)]

        def red(kept: list[Unit]) -> bool:
            self._keep_only(kept, units, resolver)
            run = runner.test()
            return run is None or run.worse_than(before)

        bad = guilty(units, red)
        words = "the repository's own tests fail with it"
        self.dropped = dict.fromkeys(bad, words)
        self._keep_only([unit for unit in units if unit not in bad], units, resolver)
        names = ", ".join(f"{code} in {path}" for path, code in bad)
        self.notes.append(f"taken back, as the repository's own tests fail with it: {names}")
        return runner.test()

    def _keep_only(self, kept: list[Unit], units: list[Unit], resolver: Resolver) -> None:
        """Write the tree with the fixes of these rules and files alone."""
        for path in dict.fromkeys(where for where, _ in units):
            gone = frozenset(code for unit in units if unit not in kept and unit[0] == path for code in unit[1:])
            original, result = self.files[path], self.rewrites[path]
            text = result.old
            if gone and gone != frozenset(_codes(result)):
                options = self._options(path, resolver)
                options = replace(options, select=options.select - gone, complete=False)
                text = rewrite(result.old, path, options).new
            elif not gone:
                text = result.new
            current = read(self.tree.root / path)
            if text != current.text:
                write(replace(original, data=current.data), text)

    def _changes(self) -> Mapping[str, Rewrite]:
        return {path: result for path, result in self.rewrites.items() if result.changed}

    def _texts(self) -> Mapping[str, str]:
        """The rewritten files as they stand in the tree."""
        return {path: read(self.tree.root / path).text for path in self._changes()}

    def _row(self, path: str) -> FileRow:
        """The row of a file, with everything that is known of it."""
        row, result = self.rows[path], self.rewrites.get(path)
        if result is None:
            return row
        fixes = tuple(_fixes(result, {code: why for (where, code), why in self.dropped.items() if where == path}))
        changed = result.changed and any(not fix.dropped for fix in fixes)
        return replace(
            row,
            status="rewritten" if changed else "unchanged",
            reason="; ".join(result.notes),
            verdict=_verdict(result),
            fixes=fixes,
            findings=tuple(
                FindingRow(
                    left.finding.line, left.finding.column + 1, left.finding.code, left.finding.message, left.reason
                )
                for left in result.left
            ),
        )


def _inside(target: str | None, root: Path) -> str | None:
    """`FILE:NAME` with the file in the checkout; `NAME` as it is."""
    file, colon, name = (target or "").rpartition(":")
    return f"{root / file}:{name}" if colon else target


def _codes(result: Rewrite) -> list[str]:
    return sorted({item.finding.code for item, _ in result.fixes})


def _fixes(result: Rewrite, dropped: Mapping[str, str]) -> Iterator[FixRow]:
    for item, standing in result.fixes:
        code, fix = item.finding.code, item.fix
        yield FixRow(item.line, code, fix.summary, fix.safety.value, standing.value, dropped.get(code, ""))


def _verdict(result: Rewrite) -> VerdictRow | None:
    verdict = result.verdict
    if verdict is None:
        return None
    reason = verdict.reasons[0] if verdict.reasons else ""
    old, new = verdict.before, verdict.after
    if old is None or new is None:
        return VerdictRow(verdict.status, reason)
    return VerdictRow(
        verdict.status,
        reason,
        (len(old.break_sites), len(new.break_sites)),
        (old.graphs, new.graphs),
        (old.recompiles, new.recompiles),
    )
