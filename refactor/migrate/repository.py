"""One repository from checkout to patch: what a worker does."""

from __future__ import annotations

import dataclasses
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..commands import codes
from ..compiled import compiled_elsewhere
from ..config import Resolver
from ..engine import Options, Rewrite, inspect, rewrite
from ..errors import UserError
from ..files import File, read, write
from ..transforms.model import Finding, Safety
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
        traces: what the program to be traced left, as evidence.
        compiled: what the files compile of each other.
        files: the files as they were, by path.
        seen: how often the findings of a file were seen to do harm, for those that there is something to rewrite in.
        rewrites: what became of those that were reached.
        dropped: why the fixes of a rule in a file were taken back.
    """

    origin: Origin
    policy: Policy
    tree: Checkout
    started: float
    traces: tuple[str, ...] = ()
    compiled: Mapping[Path, frozenset[str]] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    rewrites: dict[str, Rewrite] = field(default_factory=dict)
    dropped: dict[Unit, str] = field(default_factory=dict)
    rows: dict[str, FileRow] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def run(self) -> Outcome:
        """The whole of it."""
        found = survey(self.tree.root, self.policy.max_bytes, self._resolver())
        runner = own_tests.Runner.of(self.policy, self.tree.root)
        self.traces = runner.trace(self.tree.root.parent / "trace.json")
        before = runner.test()
        if self.policy.trace or self.policy.test:
            self.tree.restore()
        self.compiled = compiled_elsewhere(self.tree.root / path for path in found.files)
        self._rewrite_all(found)
        after = self._settled_tests(runner, before)
        patch, undo = self.tree.patches(self._changes())
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
        """Look through every file, then rewrite those with something to rewrite: first what was seen to do harm."""
        self.rows = {path: FileRow(path, "left alone", reason) for path, reason in found.left}
        resolver = self._resolver()
        for index, path in enumerate(found.files):
            if self._left_s() <= 0:
                late = found.files[index:]
                self.rows |= {path: FileRow(path, "left alone", self._reached()) for path in late}
                self.notes.append(f"{len(late)} files were {self._reached()}")
                break
            self.rows[path] = self._tried(self._inspected, path, resolver)
        wanted = sorted(self.seen, key=lambda path: -self.seen[path])
        for index, path in enumerate(wanted):
            if self._left_s() <= 0:
                self.notes.append(f"{len(wanted) - index} files with something to rewrite were {self._reached()}")
                for waiting in wanted[index:]:
                    self.rows[waiting] = replace(self.rows[waiting], reason=f"its fixes were {self._reached()}")
                break
            self.rows[path] = self._tried(self._rewritten, path, resolver)

    def _left_s(self) -> float:
        return self.policy.budget_s - (time.monotonic() - self.started)

    def _reached(self) -> str:
        return f"not reached within the budget of {self.policy.budget_s:g} s"

    def _tried(self, work: Callable[[str, Resolver], FileRow], path: str, resolver: Resolver) -> FileRow:
        """The row that the work on a file makes; a bug that it meets is named, and the other files go on."""
        started = time.monotonic()
        try:
            row = work(path, resolver)
        except UserError as error:
            return self._failed(path, error.message, started)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            reason = f"a bug of torch-refactor: {type(error).__name__}: {error} ({where})"
            self.notes.append(f"{path}: {reason}")
            return self._failed(path, reason, started)
        return replace(row, seconds=row.seconds + _since(started))

    def _failed(self, path: str, reason: str, started: float) -> FileRow:
        """The row of a file that cannot be treated, with what was found in it before."""
        row = self.rows.get(path, FileRow(path, "failed"))
        return replace(row, status="failed", reason=reason, seconds=row.seconds + _since(started))

    def _inspected(self, path: str, resolver: Resolver) -> FileRow:
        """The findings of a file as it is; that there is something to rewrite is noted."""
        options = self._options(path, resolver)
        _, found = inspect(read(self.tree.root / path).text, path, options)
        if any(finding.fixable and finding.safety is not Safety.DISPLAY for finding in found):
            self.seen[path] = sum(finding.seen or 0 for finding in found)
        rows = tuple(_finding(item, item.refusal.reason if item.refusal else "") for item in found)
        return FileRow(path, "unchanged", findings=rows)

    def _rewritten(self, path: str, resolver: Resolver) -> FileRow:
        options = self._options(path, resolver)
        file = read(self.tree.root / path)
        result = rewrite(file.text, path, replace(options, timeout=min(options.timeout, self._left_s())))
        write(file, result.new)
        self.files[path], self.rewrites[path] = file, result
        return self.rows[path]

    def _options(self, path: str, resolver: Resolver) -> Options:
        file, policy = self.tree.root / path, self.policy
        factory, inputs = (_inside(target, self.tree.root) for target in (policy.factory, policy.inputs))
        config = resolver.for_file(file)
        options = options_for(file, config, codes(), factory, inputs, cache=False, evidence=self.traces)
        dropped = {code for where, code in self.dropped if where == path}
        settings = replace(options.settings, compiled=self.compiled.get(file, frozenset()))
        complete = options.complete and not dropped
        return replace(options, select=options.select - dropped, complete=complete, settings=settings)

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
            findings=tuple(_finding(left.finding, left.reason) for left in result.left),
        )


def _inside(target: str | None, root: Path) -> str | None:
    """`FILE:NAME` with the file in the checkout; `NAME` as it is."""
    file, colon, name = (target or "").rpartition(":")
    return f"{root / file}:{name}" if colon else target


def _finding(finding: Finding, reason: str) -> FindingRow:
    return FindingRow(finding.line, finding.column + 1, finding.code, finding.message, reason)


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
