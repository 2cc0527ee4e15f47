"""Many files: which options govern each, and one function per file, in this process or in several."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from . import notebook
from .codes import chosen, expand, matches
from .collecting import collect_rarely, collected_rarely
from .config import Config
from .engine import Options, Proposal, Rewrite, inspect, propose, rewrite
from .errors import UserError
from .files import File, contents, decode, read
from .recall import Question, forget_signs, recall, remember
from .signs import noted
from .target_torch import installed, parsed
from .transforms.model import Finding, NoFix, RuleSettings

Result = TypeVar("Result")
# Starting a worker costs as much as checking some dozen files.
_FILES_PER_WORKER = 16
# What one worker is given at a time.
_BATCH_BYTES = 1 << 17
# Each judge holds a torch of its own, and has a second process that compiles.
_MOST_JUDGES = 4


@dataclass(frozen=True)
class Task:
    """One file to treat; `file` is set where it was read already, as standard input is; `fixes` asks for each fix."""

    path: Path
    options: Options
    file: File | None = None
    fixes: bool = False

    @property
    def name(self) -> str:
        """What messages call the file."""
        return str(self.path)


@dataclass(frozen=True)
class Checked:
    """The findings of one file, or the error that prevented them.

    Attributes:
        texts: what the findings are of, for excerpts, by cell; a file that is no notebook has the one text 0.
        fixes: the edits that the fix of each finding alone makes, where they were asked for.
    """

    name: str
    path: Path = Path()
    texts: Mapping[int, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    fixes: tuple[Proposal | NoFix, ...] = ()
    error: UserError | None = None


@dataclass(frozen=True)
class Rewritten:
    """One file's rewrite with the texts that its findings are of, or the error that prevented it."""

    name: str
    file: File | None = None
    rewrite: Rewrite | None = None
    error: UserError | None = None
    texts: Mapping[int, str] = field(default_factory=dict)


def options_for(
    path: Path,
    config: Config,
    codes: Collection[str],
    factory: str | None = None,
    inputs: str | None = None,
    cache: bool = True,
    evidence: tuple[str, ...] = (),
    only_observed: bool = False,
) -> Options:
    """The options that govern one file.

    Args:
        path: the file.
        config: its settings.
        codes: the codes of all rules.
        factory: from the command line, relative to the working directory; else the entries of the settings are asked.
        inputs: the same.
        cache: whether a verdict of an earlier run is good enough.
        evidence: files of recorded runs.
        only_observed: whether nothing but what did harm in those runs is changed.

    Raises:
        UserError: a setting names an unknown rule, or a file that does not exist.
    """
    settings, base = config.settings, Path.cwd()
    if factory is None:
        entry = next((e for e in settings.entry if matches(e.path, path, config.root)), None)
        if entry is not None:
            factory, inputs, base = entry.factory, inputs or entry.inputs, config.root
    select = chosen(config, path, codes)
    return Options(
        select=select,
        complete=select == expand(["ALL"], codes),
        unsafe_fixes=settings.unsafe_fixes,
        verify=settings.verify,
        factory=located(factory, base),
        inputs=located(inputs, base),
        path=os.path.abspath(path),  # noqa: PTH100
        seed=settings.seed,
        examples=settings.examples,
        timeout=settings.timeout,
        memory=settings.memory,
        network=settings.network,
        backends=settings.backends,
        cache=cache,
        evidence=evidence,
        only_observed=only_observed,
        settings=RuleSettings(
            max_unroll=settings.max_unroll,
            max_unrolled_lines=settings.max_unrolled_lines,
            max_flags=settings.max_flags,
            torch=parsed(settings.target_torch) if settings.target_torch else installed(),
        ),
    )


def located(target: str | None, base: Path) -> str | None:
    """`NAME`, or `FILE:NAME` with the file made absolute.

    Raises:
        UserError: the file does not exist, or the name is none.
    """
    if target is None:
        return None
    file, _, name = target.rpartition(":")
    if not all(part.isidentifier() for part in name.split(".")):
        raise UserError(f"expected NAME or FILE:NAME of a factory or of inputs, got `{target}`")
    if not file:
        return name
    if not (base / file).is_file():
        raise UserError(f"`{target}` names a file that does not exist", base / file)
    return f"{(base / file).absolute()}:{name}"


def check_all(tasks: Sequence[Task], jobs: int) -> Iterator[Checked]:
    """`check_one` of every task, in order; what an earlier run found in the same file is not looked for again."""
    forget_signs()
    known = [_recalled(task) for task in tasks]
    looking = each(check_one, [task for task, found in zip(tasks, known, strict=True) if found is None], jobs)
    for found in known:
        yield next(looking) if found is None else found


def _question(task: Task) -> Question | None:
    """What an earlier run may have answered; None where more than the files was asked, or no file."""
    options = task.options
    if task.file or task.fixes or options.evidence or not options.cache or task.path.suffix == notebook.SUFFIX:
        return None
    return Question(options.path, options.select, options.complete, options.settings)


def _recalled(task: Task) -> Checked | None:
    question = _question(task)
    if question is None or not question.entry.exists():
        return None
    try:
        data = contents(task.path)
        found = recall(question, data)
        texts = {0: decode(data, task.path).text} if found else {}
    except UserError:
        return None
    return Checked(task.name, task.path, texts, found) if found is not None else None


def check_one(task: Task) -> Checked:
    """The findings of one file, and their fixes where the task asks for them."""
    question = _question(task)
    if question is None:
        return _checked(task)
    with noted() as around:
        try:
            task = replace(task, file=read(task.path))
        except UserError as error:
            return Checked(task.name, task.path, error=error)
        checked = _checked(task)
    if task.file is not None and checked.error is None:
        remember(question, task.file.data, around, checked.findings)
    return checked


def _checked(task: Task) -> Checked:
    fixes: tuple[Proposal | NoFix, ...] = ()
    try:
        file = task.file or read(task.path)
        if task.path.suffix == notebook.SUFFIX:
            found, texts = notebook.check(file.text, task.name, task.options)
        else:
            source, found = inspect(file.text, task.name, task.options)
            texts = {0: file.text}
            if task.fixes:
                fixes = tuple(propose(source, finding, task.options) for finding in found)
    except UserError as error:
        return Checked(task.name, task.path, error=error)
    plain = tuple(replace(finding, plan=None) for finding in found)
    return Checked(task.name, task.path, texts if plain else {}, plain, fixes)


def rewrite_one(task: Task) -> Rewritten:
    """The rewrite of one file; nothing is written."""
    try:
        file = task.file or read(task.path)
        if task.path.suffix == notebook.SUFFIX:
            result, texts = notebook.apply(file.text, task.name, task.options)
        else:
            result = rewrite(file.text, task.name, task.options)
            texts = {0: result.new}
        file.encode(result.new)
    except UserError as error:
        return Rewritten(task.name, error=error)
    return Rewritten(task.name, file, result, texts=texts)


def each(function: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Iterator[Result]:
    """Call a function for every task, in order of the tasks.

    Tasks that run user code stay in this process: the judge has its own child for each, which a thread waits for.

    Args:
        function: picklable, as its tasks and results are.
        tasks: what to do.
        jobs: how many processes to use at most; 0 stands for one per processor.
    """
    running = [task for task in tasks if task.options.runs and function is rewrite_one]
    with _judged(function, running, jobs) as judged, collected_rarely():
        yield from _shown(_each(function, tasks, judged, jobs), len(tasks))


@contextmanager
def _judged(function: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Iterator[Callable[[Task], Result]]:
    """The function for tasks that run user code, called in their order: some are begun before they are due."""
    workers = min(jobs or processors(), _MOST_JUDGES, len(tasks))
    if workers < 2:
        yield function
        return
    from .verify.launch import stop

    pool = concurrent.futures.ThreadPoolExecutor(workers)
    try:
        results = pool.map(function, tasks)
        yield lambda _: next(results)
    except KeyboardInterrupt:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _each(
    function: Callable[[Task], Result], tasks: Sequence[Task], judged: Callable[[Task], Result], jobs: int
) -> Iterator[Result]:
    """The results in order: of tasks that run user code from `judged`, of the others here or in other processes."""

    def runs(task: Task) -> bool:
        return task.options.runs and function is rewrite_one

    apart = [task for task in tasks if not runs(task)]
    workers = min(jobs or processors(), max(1, len(apart) // (1 if jobs > 1 else _FILES_PER_WORKER)))
    if workers == 1:
        yield from (judged(task) if runs(task) else function(task) for task in tasks)
        return
    # A fresh interpreter for each worker: forking is unsafe where a progress display has a thread.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context, initializer=_settle) as pool:
        try:
            done = _spread(pool, function, apart)
            yield from (judged(task) if runs(task) else next(done) for task in tasks)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _spread(
    pool: concurrent.futures.Executor, function: Callable[[Task], Result], tasks: Sequence[Task]
) -> Iterator[Result]:
    """The results in order. The largest files go first, so that none is still at work when all others are done."""
    sizes = [_size(task.path) for task in tasks]
    batches: list[list[int]] = []
    weight = _BATCH_BYTES
    for number in sorted(range(len(tasks)), key=lambda i: -sizes[i]):
        if weight >= _BATCH_BYTES:
            batches.append([])
            weight = 0
        batches[-1].append(number)
        weight += sizes[number]
    placed = {}
    for batch in batches:
        running = pool.submit(_each_of, function, [tasks[i] for i in batch])
        placed.update({i: (running, at) for at, i in enumerate(batch)})
    for number in range(len(tasks)):
        running, at = placed.pop(number)
        yield running.result()[at]


def _each_of(function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    return [function(task) for task in tasks]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _settle() -> None:
    """Prepare a worker. An interrupt reaches the whole group of processes, and one of them is to speak of it."""
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shown(results: Iterable[Result], total: int) -> Iterator[Result]:
    """The results, with a progress bar on standard error where that is a terminal and there is enough to wait for."""
    with _progress(total) as advance:
        for result in results:
            yield result
            advance()


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    if total < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("files"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("files", total=total)
        yield lambda: bar.advance(task)
