"""The run over many repositories: what is next, who does it, and the one hand that writes."""

from __future__ import annotations

import concurrent.futures
import contextlib
import fcntl
import importlib
import multiprocessing
import os
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import msgspec

from ..errors import UserError
from .ledger import NAME, Ledger
from .model import Job, Origin, Outcome, Policy
from .repository import migrate

REPOSITORIES = "repositories"
_REPORT = "report.json"
# The files of an outcome, each written where there is something in it.
_PARTS = {"patch": "changes.patch", "undo": "undo.patch", "bundle": "branch.bundle"}
# A repository that was in hand this often when workers died is run alone; if that kills them too, it is given up.
_SHARED_TRIES, _LONE_TRIES = 3, 3
_FIRST_WAIT_S = 2.0


class Progress(Protocol):
    """Hears how a run goes."""

    def done(self, outcome: Outcome) -> None:
        """A repository is in the ledger."""

    def skipped(self, _: Origin) -> None:
        """A repository was in the ledger already."""


@dataclass(frozen=True)
class Plan:
    """A run.

    Attributes:
        out: its folder: the ledger, and a folder per repository.
        policy: how each is treated.
        jobs: how many at a time.
        resume: go on with what is there; without, the folder must be new.
        retry_failed: with `resume`, take those again that failed.
        scheduler: the address of a dask scheduler; empty for processes of this machine.
    """

    out: Path
    policy: Policy
    jobs: int = 1
    resume: bool = False
    retry_failed: bool = False
    scheduler: str = ""


@dataclass
class Entry:
    """A repository in hand: how often its worker died, and how often its remote could not be reached."""

    origin: Origin
    strikes: int = 0
    tries: int = 0
    not_before: float = 0.0


def execute(plan: Plan, origins: Iterable[Origin], progress: Progress) -> dict[str, int]:
    """Migrate repositories and return how many have each status in the ledger.

    However long the list is, only a few repositories are in memory at a time. What is in the ledger when the run is
    stopped, in whatever way, stays; the rest is done by the next run with `resume`.

    Raises:
        UserError: the folder is in use, or not new; the ledger cannot be written; the list is wrong.
    """
    plan.out.mkdir(parents=True, exist_ok=True)
    with _locked(plan.out), Ledger(plan.out / NAME) as ledger:
        if not plan.resume and ledger.counts():
            raise UserError("has a ledger already; go on with `--resume`, or name another folder", plan.out)
        _recover(plan.out, ledger)
        wanted = _wanted(plan, ledger, origins, progress)
        with contextlib.closing(_Hands(plan)) as hands:
            for outcome in hands.outcomes(wanted):
                keep(plan.out, outcome)
                ledger.enter(outcome)
                progress.done(outcome)
        ledger.checkpoint()
        return ledger.counts()


def _wanted(plan: Plan, ledger: Ledger, origins: Iterable[Origin], progress: Progress) -> Iterator[Origin]:
    for origin in origins:
        status = ledger.status(origin)
        if status == "done" or (status == "failed" and not plan.retry_failed):
            progress.skipped(origin)
        else:
            yield origin


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """One run at a time writes in a folder; the lock goes with the process, however it ends."""
    with (out / ".lock").open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError("another run is at work in it", out) from None
        yield


def keep(out: Path, outcome: Outcome) -> None:
    """Put the files of an outcome in their place, all at once.

    Raises:
        UserError: they cannot be written.
    """
    place = out / REPOSITORIES / outcome.origin.name
    try:
        place.parent.mkdir(exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=place.parent))
        for field, name in _PARTS.items():
            data = getattr(outcome, field)
            if data:
                (draft / name).write_bytes(data)
        (draft / _REPORT).write_bytes(msgspec.json.encode(replace(outcome, patch=b"", undo=b"", bundle=b"")))
        draft.chmod(0o755)
        if place.exists():
            shutil.rmtree(place)
        draft.replace(place)
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", place) from None


def _recover(out: Path, ledger: Ledger) -> None:
    """Enter what was put in its place and had not reached the ledger; drop drafts."""
    folder = out / REPOSITORIES
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if place.name.startswith(".draft-"):
            shutil.rmtree(place, ignore_errors=True)
            continue
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            outcome = msgspec.json.decode((place / _REPORT).read_bytes(), type=Outcome)
            patch, undo, bundle = (_bytes(place / name) for name in _PARTS.values())
            outcome = replace(outcome, patch=patch, undo=undo, bundle=bundle)
            if ledger.status(outcome.origin) is None:
                ledger.enter(outcome)


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


class _Hands:
    """The workers: an executor that is made anew when a worker dies, with few repositories in hand at a time."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._pool: _Pool | None = None
        self._again: deque[Entry] = deque()
        self._suspects: deque[Entry] = deque()

    def close(self) -> None:
        """End the workers; what they have in hand is lost."""
        if self._pool is not None:
            self._pool.close()
        self._pool = None

    def outcomes(self, origins: Iterator[Origin]) -> Iterator[Outcome]:
        """The outcomes, as they come."""
        more = True
        pending: dict[Future[Outcome], Entry] = {}
        while more or pending or self._again or self._suspects:
            while len(pending) < self._width:
                entry, more = self._next(origins, more, bool(pending))
                if entry is None:
                    break
                pending[self._submit(entry)] = entry
            yield from self._collected(pending)

    @property
    def _width(self) -> int:
        workers = self._pool.workers if self._pool else self._plan.jobs
        return 1 if self._suspects and not self._again else 2 * workers

    def _next(self, origins: Iterator[Origin], more: bool, busy: bool) -> tuple[Entry | None, bool]:
        """What to submit, and whether the list may have more."""
        now = time.monotonic()
        for _ in range(len(self._again)):
            entry = self._again.popleft()
            if entry.not_before <= now:
                return entry, more
            self._again.append(entry)
        origin = next(origins, None) if more else None
        if origin is not None:
            return Entry(origin), True
        # Those under suspicion come last, each alone.
        return (self._suspects.popleft() if self._suspects and not self._again and not busy else None), False

    def _submit(self, entry: Entry) -> Future[Outcome]:
        if self._pool is None:
            self._pool = _pool(self._plan)
        entry.tries += 1
        return self._pool.executor.submit(migrate, Job(entry.origin, self._plan.policy))

    def _collected(self, pending: dict[Future[Outcome], Entry]) -> Iterator[Outcome]:
        if not pending:
            if self._again:
                time.sleep(max(0.0, min(entry.not_before for entry in self._again) - time.monotonic()))
            return
        waits = [entry.not_before - time.monotonic() for entry in self._again]
        limit = max(0.0, min(waits)) if waits else None
        done, _ = concurrent.futures.wait(pending, limit, concurrent.futures.FIRST_COMPLETED)
        broken = False
        for future in done:
            entry = pending.pop(future)
            try:
                outcome = future.result()
            except BrokenProcessPool:
                broken = True
                yield from self._struck(entry)
            except Exception as error:
                if type(error).__name__ not in _LOST:
                    raise
                yield from self._struck(entry)
            else:
                yield from self._heard(entry, outcome)
        if broken:
            for entry in pending.values():
                yield from self._struck(entry)
            pending.clear()
            self.close()

    def _heard(self, entry: Entry, outcome: Outcome) -> Iterator[Outcome]:
        """The outcome, unless a remote is to be tried again later."""
        if outcome.transient and entry.tries <= self._plan.policy.retries:
            entry.not_before = time.monotonic() + _FIRST_WAIT_S * 2 ** (entry.tries - 1)
            self._again.append(entry)
        else:
            yield outcome

    def _struck(self, entry: Entry) -> Iterator[Outcome]:
        """A worker died with this repository in hand, perhaps by its fault."""
        entry.strikes += 1
        entry.tries -= 1
        if entry.strikes < _SHARED_TRIES:
            self._again.append(entry)
        elif entry.strikes < _SHARED_TRIES + _LONE_TRIES:
            self._suspects.append(entry)
        else:
            reason = f"the worker died {_LONE_TRIES} times with this repository alone in hand"
            yield Outcome(entry.origin, "failed", error=reason)


# What dask raises when the worker of a task is lost for good.
_LOST = frozenset({"KilledWorker", "CancelledError", "FutureCancelledError"})


@dataclass(frozen=True)
class _Pool:
    """An executor, how many repositories it takes at a time, and what ends it with all that it has in hand."""

    executor: Executor
    workers: int
    close: Callable[[], None]


def _pool(plan: Plan) -> _Pool:
    """Workers of this machine, or of a cluster.

    Raises:
        UserError: dask is not installed, or its scheduler does not answer.
    """
    return _cluster(plan.scheduler) if plan.scheduler else _processes(plan.jobs)


def _processes(jobs: int) -> _Pool:
    context = multiprocessing.get_context("spawn")
    executor = concurrent.futures.ProcessPoolExecutor(jobs, context, initializer=_settle_in)

    def close() -> None:
        for process in list((getattr(executor, "_processes", None) or {}).values()):
            process.kill()
        executor.shutdown(wait=False, cancel_futures=True)

    return _Pool(executor, jobs, close)


def _cluster(address: str) -> _Pool:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise UserError("`--scheduler` needs dask: pip install torch-refactor[cluster]") from None
    try:
        client = distributed.Client(address, timeout=10)
    except (OSError, TimeoutError) as error:
        raise UserError(f"the scheduler {address} does not answer: {error}") from None
    return _Pool(client.get_executor(pure=False), max(1, sum(client.nthreads().values())), client.close)


def _settle_in() -> None:
    """A worker ends with the run that it works for, and leaves interrupts to it."""
    import signal

    from ..verify.limits import die_with_parent

    die_with_parent()
    if os.getppid() == 1:
        os._exit(1)  # the run ended before this worker could ask to end with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
