"""The nouns of a migration: plain data that travels to a worker and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["done", "failed"]
FileStatus = Literal["rewritten", "unchanged", "left alone", "failed"]


@dataclass(frozen=True)
class Origin:
    """One repository to migrate.

    Attributes:
        name: what it is called in the ledger and on disk; unique in a migration.
        source: a folder, or whatever `git clone` takes.
        revision: what to check out; the source's own HEAD by default.
        settings: overrides of the policy, from a list file (`SETTINGS`).
    """

    name: str
    source: str
    revision: str = ""
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Policy:
    """How every repository of a run is treated.

    Attributes:
        verify: as in `refactor apply`; what is not verified is not written by default.
        select, ignore: rules, as in `refactor apply`; empty for the repository's own settings.
        unsafe_fixes: as in `refactor apply`.
        factory, inputs: what the judge runs; looked for without.
        trace: a command of the repository, run by a shell in its checkout under the recorder; none by default.
        test: the same for its tests.
        python: the interpreter that such commands find first on their path.
        install: arguments of `pip install`, for a virtual environment of the repository's own; empty for none.
        commit: whether a branch with one commit per rule is made.
        budget_s: seconds for one repository; what is not reached is named.
        timeout_s: seconds for one file's verification.
        test_timeout_s: seconds for one run of a command.
        max_bytes: larger files are left alone.
        retries: how often a remote that cannot be reached is tried again.
    """

    verify: Literal["off", "auto", "require"] = "require"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    factory: str | None = None
    inputs: str | None = None
    trace: str = ""
    test: str = ""
    python: str = ""
    install: str = ""
    commit: bool = False
    budget_s: float = 1800.0
    timeout_s: float = 120.0
    test_timeout_s: float = 900.0
    max_bytes: int = 2 << 20
    retries: int = 3


@dataclass(frozen=True)
class Job:
    """One repository and how to treat it: what a worker is given."""

    origin: Origin
    policy: Policy


@dataclass(frozen=True)
class FindingRow:
    """A finding that stays; lines and columns count from 1."""

    line: int
    column: int
    code: str
    message: str
    reason: str


@dataclass(frozen=True)
class FixRow:
    """A fix; `dropped` says why it was taken back, and is empty for one that was written."""

    line: int
    code: str
    summary: str
    safety: str
    standing: str
    dropped: str = ""


@dataclass(frozen=True)
class VerdictRow:
    """What the judge said of a file: the headline, and break sites, graphs and recompiles before and after."""

    status: str
    reason: str
    sites: tuple[int, int] | None = None
    graphs: tuple[int, int] | None = None
    recompiles: tuple[int, int] | None = None


@dataclass(frozen=True)
class FileRow:
    """One file; `path` is relative to the repository, `reason` says why it was left alone or failed."""

    path: str
    status: FileStatus
    reason: str = ""
    seconds: float = 0.0
    verdict: VerdictRow | None = None
    fixes: tuple[FixRow, ...] = ()
    findings: tuple[FindingRow, ...] = ()


@dataclass(frozen=True)
class SuiteRun:
    """One run of the repository's own tests: `passed` and `failed` are None where the output does not count them."""

    status: int
    passed: int | None = None
    failed: int | None = None
    seconds: float = 0.0
    tail: str = ""

    def worse_than(self, before: SuiteRun) -> bool:
        """True where something failed that did not fail before, or where less passed."""
        if before.status == 0:
            return self.status != 0 or (self.passed or 0) < (before.passed or 0)
        if None in (self.failed, before.failed):
            return self.status != before.status
        return (self.failed or 0) > (before.failed or 0) or (self.passed or 0) < (before.passed or 0)


@dataclass(frozen=True)
class Outcome:
    """What came of one repository: what a worker gives back.

    Attributes:
        revision: the commit that was migrated; empty for a folder that is no repository.
        error: why it failed, one line.
        notes: what the user should hear besides.
        patch, undo: the changes for `git apply` and their inverse; empty where nothing changed.
        bundle: the branch, as a git bundle; empty without `commit`.
        tests: the repository's tests before and after, where they were run.
        transient: a failure that another try may not meet.
    """

    origin: Origin
    status: Status
    revision: str = ""
    error: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    files: tuple[FileRow, ...] = ()
    tests: tuple[SuiteRun, SuiteRun] | None = None
    transient: bool = False
    patch: bytes = field(default=b"", repr=False)
    undo: bytes = field(default=b"", repr=False)
    bundle: bytes = field(default=b"", repr=False)
