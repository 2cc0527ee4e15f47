"""What each command does once its options are read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .cli import report
from .codes import META
from .config import KEYS, Config, Resolver, Settings
from .engine import Options
from .errors import UserError, suggestion
from .files import File, decode, discover, read, write
from .narrow import add_ignores, narrowed
from .report import concise, full, json_, summary
from .report.diff import patch
from .report.remark import Remark, of_error, remarks
from .report.writers import WRITERS
from .work import Checked, Rewritten, Task, check_all, each, options_for, rewrite_one

if TYPE_CHECKING:
    from .verify.verdict import Verdict

_STDIN = Path("-")


def codes() -> tuple[str, ...]:
    """The codes of all rules, in order."""
    from .transforms.rule import registry

    return (*registry(), META)


def _overrides(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings among the options of a command line, by key; options not given are not in it."""
    table = {key.replace("_", "-"): value for key, value in given.items() if value not in (None, (), False)}
    if given.get("no_respect_gitignore"):
        table["respect-gitignore"] = False
    return {key: value for key, value in table.items() if key in KEYS}


def resolver_for(given: Mapping[str, Any]) -> Resolver:
    """The settings files, with the settings of the command line over them."""
    return Resolver(given["configs"], given["isolated"], _overrides(given))


def _tasks(given: Mapping[str, Any], resolver: Resolver) -> list[Task]:
    """One task per file that the paths stand for.

    Raises:
        UserError: a path or a setting that is wrong.
    """
    paths = [Path(path) for path in given["paths"] or (".",)]
    if given.get("inputs") and not given.get("factory"):
        raise UserError("`--inputs` needs a `--factory` to build what is called")
    known, factory, inputs = codes(), given.get("factory"), given.get("inputs")
    cache = not given.get("no_cache")
    evidence = tuple(given.get("evidence") or ())
    only = bool(given.get("only_observed"))
    if only and not evidence:
        raise UserError("`--only-observed` needs an `--evidence` file, made by `refactor trace`")

    def options_of(path: Path) -> Options:
        return options_for(path, resolver.for_file(path), known, factory, inputs, cache, evidence, only)

    if _STDIN in paths:
        if len(paths) > 1:
            raise UserError("`-` stands for standard input and goes with no other path")
        path = Path(given["stdin_filename"] or "stdin.py")
        file = decode(sys.stdin.buffer.read(), path)
        return [Task(path, options_of(path), file)]
    return [Task(path, options_of(path)) for path in discover(paths, resolver)]


def _settings(given: Mapping[str, Any], resolver: Resolver) -> Settings:
    """The settings that govern the report: those of the first path."""
    first = Path((given["paths"] or (".",))[0])
    return (resolver.for_folder(first) if first.is_dir() else resolver.for_file(first)).settings


def _say_errors(errors: Iterable[UserError]) -> None:
    for error in errors:
        report(str(error))


def check(given: Mapping[str, Any]) -> int:
    """`refactor check`; returns the exit status.

    Raises:
        UserError: a path, a setting, a baseline or a revision that is wrong.
    """
    resolver = resolver_for(given)
    settings = _settings(given, resolver)
    tasks = _tasks(given, resolver)
    if settings.output_format == "sarif":
        tasks = [replace(task, fixes=True) for task in tasks]
    results = narrowed(given, lambda: check_all(tasks, settings.jobs))
    errors = [result.error for result in results if result.error]
    if given.get("update_baseline"):
        _say_errors(errors)
        return 2 if errors else 0
    if given.get("add_ignore"):
        results, failed = add_ignores(tasks, results)
        errors += failed
    found = [finding for result in results for finding in result.findings]
    if settings.output_format == "json":
        files = [
            {"path": result.name, "findings": [json_.finding(item) for item in result.findings]}
            for result in results
            if result.findings
        ]
        click.echo(json_.document("check", files=files, errors=json_.errors(errors)))
    elif settings.output_format in WRITERS:
        _write(WRITERS[settings.output_format], results, errors)
    else:
        for line in _checked(results, settings, given["statistics"]):
            click.echo(line)
        click.echo(concise.totals(found, len(results)))
    _say_errors(errors)
    return 2 if errors else 1 if found else 0


def _write(
    document: Callable[[Iterable[Remark]], str], results: Sequence[Checked], errors: Iterable[UserError]
) -> None:
    """A machine-readable report, in UTF-8 whatever the locale."""
    told = [remark for result in results for remark in remarks(result)]
    text = document([*told, *map(of_error, errors)])
    click.echo(f"{text}\n".encode() if text else b"", nl=False)


def _checked(results: Sequence[Checked], settings: Settings, statistics: bool) -> Iterable[str]:
    if statistics:
        yield from concise.statistics(finding for result in results for finding in result.findings)
        return
    for result in results:
        lines = {cell: full.split(text) for cell, text in result.texts.items()}
        for finding in result.findings:
            if settings.output_format == "concise":
                yield concise.line(result.name, finding)
            else:
                yield from full.block(result.name, lines[finding.cell], finding)


def apply(given: Mapping[str, Any]) -> int:
    """`refactor apply`; returns the exit status."""
    resolver = resolver_for(given)
    settings = _settings(given, resolver)
    tasks = _tasks(given, resolver)
    streamed = bool(tasks) and tasks[0].file is not None
    kept = given["dry_run"] or given["check_only"] or streamed
    results, errors, patches = [], [], {}
    for done in each(rewrite_one, tasks, settings.jobs):
        if done.rewrite and done.file:
            patches[done.name] = patch(done.rewrite.old, done.rewrite.new, done.file.path)
            results.append(done)
            if done.rewrite.changed and not kept:
                errors += _written(done.file, done.rewrite.new)
        elif done.error:
            errors.append(done.error)
    as_json = settings.output_format == "json"
    if as_json:
        untouched = {str(error.path) for error in errors}
        files = [
            json_.rewrite(r.rewrite, r.rewrite.changed and not kept and r.name not in untouched, patches[r.name])
            for r in results
            if r.rewrite and (r.rewrite.changed or r.rewrite.left or r.rewrite.notes)
        ]
        click.echo(json_.document("apply", files=files, errors=json_.errors(errors)))
    else:
        _emit(results, patches, given, streamed)
        aside = given["dry_run"] or streamed
        verb = "Would rewrite" if kept and not streamed else "Rewrote"
        for line in _applied(results, settings, given["statistics"], verb) if results or not errors else ():
            click.echo(line, err=aside)
    _say_errors(errors)
    would = given["check_only"] and any(r.rewrite and r.rewrite.changed for r in results)
    left = any(r.rewrite and r.rewrite.left for r in results)
    return 2 if errors else 1 if would or left else 0


def _written(file: File, text: str) -> list[UserError]:
    try:
        write(file, text)
    except UserError as error:
        return [error]
    return []


def _emit(results: Sequence[Rewritten], patches: Mapping[str, str], given: Mapping[str, Any], streamed: bool) -> None:
    """The patch, or the text for standard output, in the encoding of each file."""
    for result in results:
        if result.file is None or result.rewrite is None:
            continue
        if given["dry_run"]:
            _emit_patch(patches[result.name], result.file)
        elif streamed and not given["check_only"]:
            click.echo(result.file.encode(result.rewrite.new), nl=False)


def _emit_patch(text: str, file: File) -> None:
    context = click.get_current_context()
    if context.color or (context.color is None and sys.stdout.isatty()):
        colours = {"+": "green", "-": "red", "@": "cyan"}
        for line in text.splitlines(keepends=True):
            click.echo(click.style(line, fg=colours.get(line[:1])), nl=False)
    elif text:
        head, body = text.split("@@", 1)
        click.echo(head.encode("utf-8") + file.encode("@@" + body), nl=False)


def _applied(results: Sequence[Rewritten], settings: Settings, statistics: bool, verb: str) -> Iterable[str]:
    """What `apply` says: findings left, fixes, verdicts, and the totals."""
    rewrites = [result.rewrite for result in results if result.rewrite]
    for result in results:
        rewrite = result.rewrite
        if rewrite is None:
            continue
        if settings.output_format == "full" and not statistics:
            lines = {cell: full.split(text) for cell, text in result.texts.items()}
            for item in rewrite.left:
                yield from full.block(rewrite.name, lines[item.finding.cell], item.finding, item)
        elif not statistics:
            yield from (concise.line(rewrite.name, item.finding, item) for item in rewrite.left)
        if settings.show_fixes:
            yield from summary.fixes(rewrite)
        if statistics:
            yield from summary.dropped(rewrite)
        yield from (f"{rewrite.name}: {note}" for note in rewrite.notes)
        if rewrite.verdict is not None and rewrite.changed:
            yield summary.verdict_line(rewrite.name, rewrite.verdict)
            if rewrite.verdict.status != "VERIFIED":
                yield from summary.verdict_details(rewrite.verdict)
    if statistics:
        yield from concise.statistics(item.finding for rewrite in rewrites for item in rewrite.left)
    yield from summary.standing_notes(rewrites)
    yield summary.totals(rewrites, verb)


def verify(old: Path, new: Path, given: Mapping[str, Any]) -> int:
    """`refactor verify OLD NEW`; returns the exit status.

    Raises:
        UserError: a file is missing or no Python, or the original cannot be run.
    """
    from .cache import FOLDER
    from .engine import package_judge
    from .passes import parse
    from .verify.launch import prepare
    from .verify.verdict import Request

    texts = [read(path).text for path in (old, new)]
    for path, text in zip((old, new), texts, strict=True):
        parse(text, str(path))
    resolver = resolver_for(given)
    if given["no_cache"] or not Path(FOLDER).exists():
        prepare()
    config = resolver.for_file(old)
    options = options_for(old, config, codes(), given["factory"], given["inputs"], not given["no_cache"])
    request = Request(
        old=texts[0],
        new=texts[1],
        path=options.path,
        factory=options.factory,
        inputs=options.inputs,
        seed=options.seed,
        examples=options.examples,
        timeout_s=options.timeout,
        memory_mb=options.memory,
        network=options.network,
        backends=options.backends,
    )
    verdict = package_judge(options)(request)
    if config.settings.output_format == "json":
        click.echo(json_.document("verify", old=str(old), new=str(new), verdict=json_.verdict(verdict)))
    else:
        _say_verdict(new, verdict, config)
    return 0 if verdict.status == "VERIFIED" else 1


def _say_verdict(new: Path, verdict: Verdict, config: Config) -> None:
    click.echo(summary.verdict_line(str(new), verdict))
    if config.settings.output_format == "full":
        for line in summary.verdict_details(verdict):
            click.echo(line)


def rule(code: str | None, output_format: str) -> None:
    """`refactor rule CODE`, or every rule where the code is None.

    Raises:
        UserError: no rule has that code.
    """
    from .report import rules

    pages = rules.pages()
    if code is not None:
        known = [page.code for page in pages]
        if code not in known:
            raise UserError(
                f"no rule is called `{code}`{suggestion(code.upper(), known)}; there are {', '.join(known)}"
            )
        pages = [page for page in pages if page.code == code]
    if output_format == "json":
        click.echo(json_.document("rule", rules=[page.plain() for page in pages]))
        return
    rules.show(pages)


def settings(path: Path, output_format: str, configs: tuple[str, ...], isolated: bool) -> None:
    """`refactor config`: every setting in force for a path, with its origin."""
    import msgspec

    resolver = Resolver(configs, isolated)
    config = resolver.for_folder(path) if path.is_dir() else resolver.for_file(path)
    values = msgspec.to_builtins(config.settings)
    if output_format == "json":
        table = {key: {"value": value, "origin": config.origin.get(key, "default")} for key, value in values.items()}
        click.echo(json_.document("config", settings=table))
        return
    for key, value in values.items():
        click.echo(f"{key} = {msgspec.json.encode(value).decode()}  # {config.origin.get(key, 'default')}")
