"""The ledger of a migration: one SQLite database with one writer; every row is there or not, whatever is killed."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import UserError
from .model import FileRow, FindingRow, FixRow, Origin, Outcome, SuiteRun, VerdictRow

SCHEMA = 1
NAME = "ledger.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS repositories (
    name TEXT PRIMARY KEY, source TEXT NOT NULL, wanted TEXT NOT NULL, settings TEXT NOT NULL, status TEXT NOT NULL,
    revision TEXT NOT NULL, error TEXT NOT NULL, transient INTEGER NOT NULL, notes TEXT NOT NULL, seconds REAL NOT NULL,
    finished REAL NOT NULL, tests TEXT, patch_bytes INTEGER NOT NULL, bundled INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS files (
    repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, path TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, seconds REAL NOT NULL, verdict TEXT, verdict_reason TEXT, sites_before INTEGER,
    sites_after INTEGER, graphs_before INTEGER, graphs_after INTEGER, recompiles_before INTEGER,
    recompiles_after INTEGER, PRIMARY KEY (repository, path)
);
CREATE TABLE IF NOT EXISTS findings (
    repository TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, "column" INTEGER NOT NULL, code TEXT NOT NULL,
    message TEXT NOT NULL, reason TEXT NOT NULL,
    FOREIGN KEY (repository, path) REFERENCES files ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS fixes (
    repository TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, code TEXT NOT NULL, summary TEXT NOT NULL,
    safety TEXT NOT NULL, standing TEXT NOT NULL, dropped TEXT NOT NULL,
    FOREIGN KEY (repository, path) REFERENCES files ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS findings_by_file ON findings (repository, path);
CREATE INDEX IF NOT EXISTS fixes_by_file ON fixes (repository, path);
"""
# Each table with the column that says which repository a row belongs to.
_KEYS = {"repositories": "name", "files": "repository", "findings": "repository", "fixes": "repository"}


class Ledger:
    """A ledger that is open; use it as a context manager.

    Args:
        path: the database; made where there is none.
        readonly: for reports; the database must be there.

    Raises:
        UserError: it is no ledger of this version, or cannot be opened or written.
    """

    def __init__(self, path: Path, readonly: bool = False) -> None:
        self.path = path
        if readonly and not path.is_file():
            raise UserError("there is no ledger; `refactor migrate` makes one", path)
        try:
            self._db = sqlite3.connect(path, timeout=30.0)
            self._db.execute("PRAGMA foreign_keys = ON")
            if not readonly:
                self._prepare()
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            raise UserError(f"cannot be used as a ledger: {error}", path) from None
        if version != SCHEMA:
            raise UserError(f"is a ledger of version {version}, and this tool knows version {SCHEMA}", path)

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        if not self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            self._db.executescript(f"BEGIN;{_TABLES}PRAGMA user_version = {SCHEMA};COMMIT;")

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def status(self, origin: Origin) -> str | None:
        """`done` or `failed` where the repository was migrated as it is wanted now; None where it was not.

        Raises:
            UserError: another repository of that name is in the ledger.
        """
        query = "SELECT status, source, wanted, settings FROM repositories WHERE name = ?"
        row = self._db.execute(query, (origin.name,)).fetchone()
        if row is None:
            return None
        if row[1] != origin.source:
            raise UserError(
                f"the ledger has `{row[1]}` as `{origin.name}`, and this run has `{origin.source}`", self.path
            )
        return row[0] if row[2:] == (origin.revision, _plain(origin.settings)) else None

    def enter(self, outcome: Outcome) -> None:
        """Write all of an outcome, in place of what was there of that repository.

        Raises:
            UserError: the disk is full, or the database cannot be written.
        """
        try:
            with self._db:
                self._enter(outcome)
        except sqlite3.Error as error:
            raise UserError(f"the ledger cannot be written: {error}", self.path) from None

    def _enter(self, outcome: Outcome) -> None:
        name, origin = outcome.origin.name, outcome.origin
        self._db.execute("DELETE FROM repositories WHERE name = ?", (name,))
        tests = json.dumps([asdict(run) for run in outcome.tests]) if outcome.tests else None
        row = (
            *(name, origin.source, origin.revision, _plain(origin.settings), outcome.status, outcome.revision),
            *(outcome.error, outcome.transient, _plain(outcome.notes), outcome.seconds, time.time(), tests),
            *(len(outcome.patch), bool(outcome.bundle)),
        )
        self._db.execute(f"INSERT INTO repositories VALUES ({_holes(row)})", row)
        for file in outcome.files:
            self._enter_file(name, file)

    def _enter_file(self, name: str, file: FileRow) -> None:
        verdict = file.verdict
        pairs = (verdict.sites, verdict.graphs, verdict.recompiles) if verdict else (None, None, None)
        said = (verdict.status, verdict.reason) if verdict else (None, None)
        counts = [number for pair in pairs for number in pair or (None, None)]
        row = (name, file.path, file.status, file.reason, file.seconds, *said, *counts)
        self._db.execute(f"INSERT INTO files VALUES ({_holes(row)})", row)
        found = [(name, file.path, f.line, f.column, f.code, f.message, f.reason) for f in file.findings]
        fixed = [(name, file.path, f.line, f.code, f.summary, f.safety, f.standing, f.dropped) for f in file.fixes]
        self._db.executemany("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?)", found)
        self._db.executemany("INSERT INTO fixes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", fixed)

    def take(self, path: Path, names: Iterable[str]) -> None:
        """Copy repositories from another ledger, in place of what is here of them."""
        self._db.execute("ATTACH DATABASE ? AS part", (str(path),))
        try:
            with self._db:
                for name in names:
                    self._db.execute("DELETE FROM repositories WHERE name = ?", (name,))
                    for table, key in _KEYS.items():
                        self._db.execute(
                            f"INSERT INTO main.{table} SELECT * FROM part.{table} WHERE {key} = ?", (name,)
                        )
        except sqlite3.Error as error:
            raise UserError(f"the ledger cannot be written: {error}", self.path) from None
        finally:
            self._db.execute("DETACH DATABASE part")

    def origin(self, name: str) -> Origin:
        """The repository of a name, as it was wanted."""
        query = "SELECT source, wanted, settings FROM repositories WHERE name = ?"
        source, wanted, settings = self._db.execute(query, (name,)).fetchone()
        return Origin(name, source, wanted, tuple((key, value) for key, value in json.loads(settings)))

    def counts(self) -> dict[str, int]:
        """How many repositories have each status."""
        return dict(self._db.execute("SELECT status, count(*) FROM repositories GROUP BY status ORDER BY status"))

    def names(self) -> Iterator[str]:
        """The names of the repositories, in order."""
        return (name for (name,) in self._db.execute("SELECT name FROM repositories ORDER BY name"))

    def outcome(self, name: str) -> Outcome:
        """What the ledger knows of a repository; patches stand beside it, in files of their own."""
        columns = "status, revision, error, transient, notes, seconds, tests"
        query = f"SELECT {columns} FROM repositories WHERE name = ?"
        status, revision, error, transient, notes, seconds, tests = self._db.execute(query, (name,)).fetchone()
        runs = [SuiteRun(**run) for run in json.loads(tests)] if tests else []
        return Outcome(
            self.origin(name),
            status,
            revision,
            error,
            tuple(json.loads(notes)),
            seconds,
            tuple(self._files(name)),
            (runs[0], runs[1]) if runs else None,
            bool(transient),
        )

    def _files(self, name: str) -> Iterator[FileRow]:
        rows = self._db.execute("SELECT * FROM files WHERE repository = ? ORDER BY path", (name,)).fetchall()
        for _, path, status, reason, seconds, verdict, why, *counts in rows:
            pairs = [(counts[i], counts[i + 1]) if counts[i] is not None else None for i in (0, 2, 4)]
            fixes = self._of("line, code, summary, safety, standing, dropped", "fixes", name, path)
            findings = self._of('line, "column", code, message, reason', "findings", name, path)
            yield FileRow(
                path,
                status,
                reason,
                seconds,
                VerdictRow(verdict, why, *pairs) if verdict else None,
                tuple(FixRow(*row) for row in fixes),
                tuple(FindingRow(*row) for row in findings),
            )

    def _of(self, columns: str, table: str, name: str, path: str) -> list[tuple[Any, ...]]:
        query = f"SELECT {columns} FROM {table} WHERE repository = ? AND path = ? ORDER BY rowid"
        return self._db.execute(query, (name, path)).fetchall()

    def totals(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query of the reports."""
        return self._db.execute(query).fetchall()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the database, so that the one file can be copied."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def merge(into: Path, ledgers: Iterable[Path]) -> list[tuple[str, Path]]:
    """Put the repositories of other ledgers into one, those that are done before those that failed.

    Returns:
        What came over: each repository's name, and the ledger that it came from.

    Raises:
        UserError: one of them is no ledger, or two have one name for different repositories.
    """
    taken = []
    with Ledger(into) as whole:
        for path in ledgers:
            with Ledger(path, readonly=True) as part:
                names = list(part.names())
                wanted = [name for name in names if whole.status(part.origin(name)) != "done"]
            whole.take(path, wanted)
            taken += [(name, path) for name in wanted]
    return taken


def _plain(value: object) -> str:
    return json.dumps(value)


def _holes(row: tuple[object, ...]) -> str:
    return ", ".join("?" * len(row))
