"""The command line: conventions and exit codes follow ruff.

Exit status 0: nothing left · 1: findings left, `--check` would change, or `verify` says anything but VERIFIED ·
2: a usage, configuration or file error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from . import __version__
from .errors import UserError, suggestion
from .migrate.cli import migrate

Command = TypeVar("Command", bound=Callable[..., Any])


class Commands(click.Group):
    """The group of commands; an error that a user can cause is one line and exit status 2."""

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command; with `standalone_mode` the process exits."""
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        try:
            code = super().main(args, prog_name, standalone_mode=False, **extra)
            sys.stdout.flush()
        except click.ClickException as error:
            fail(error.format_message())
        except UserError as error:
            fail(str(error))
        except (click.Abort, KeyboardInterrupt):
            fail("interrupted", 130)
        except BrokenPipeError:
            # The reader went away, as `head` does; the interpreter must not try to flush to it again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else 0)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command.

        Raises:
            UsageError: there is none of that name.
        """
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            ctx.fail(f"no command is called `{args[0]}`{suggestion(args[0], known)}; there are {', '.join(known)}")
        return super().resolve_command(ctx, args)


def fail(message: str, status: int = 2) -> NoReturn:
    """Say one line and exit."""
    report(message)
    sys.exit(status)


def report(message: str) -> None:
    """Say one line about an error on standard error."""
    click.echo(f"{click.style('error', fg='red', bold=True)}: {' '.join(message.split())}", err=True)


def options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order of the help text."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


_configuration = options(
    click.option(
        "--config", "configs", multiple=True, metavar="FILE|KEY=VALUE", help="A settings file, or one setting."
    ),
    click.option("--isolated", is_flag=True, help="Read no pyproject.toml."),
)
_format = click.option("--output-format", type=click.Choice(["full", "concise", "json"]), help="Default: full.")
_any_format = click.option(
    "--output-format",
    type=click.Choice(["full", "concise", "json", "github", "sarif", "gitlab", "junit"]),
    help="Default: full.",
)
_selection = options(
    click.argument("paths", nargs=-1, metavar="[PATH]..."),
    click.option(
        "--select", multiple=True, metavar="CODE", help="Rules to look for: codes, prefixes like TR1, or ALL."
    ),
    click.option("--ignore", multiple=True, metavar="CODE", help="Rules to leave out; wins over --select."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Paths to leave out, instead of the usual ones."),
    click.option("--extend-exclude", multiple=True, metavar="GLOB", help="Paths to leave out besides the usual ones."),
    click.option("--no-respect-gitignore", is_flag=True, help="Take files that git ignores too."),
    click.option("--stdin-filename", metavar="FILE", help="What standard input (`-`) is called."),
    click.option("--statistics", is_flag=True, help="Counts by rule instead of each finding."),
    click.option(
        "--jobs", type=click.IntRange(0), metavar="N", help="Processes; 0, the default, is one per processor."
    ),
    _configuration,
)
_evidence = click.option(
    "--evidence",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="What `refactor trace` recorded; may be given several times.",
)
_entry = options(
    click.option(
        "--factory",
        metavar="[FILE:]NAME",
        help="Callable that builds the function or module to run; looked for without.",
    ),
    click.option("--inputs", metavar="[FILE:]NAME", help="Callable that returns the calls, [(args, kwargs), ...]."),
    click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed of the generated inputs."),
    click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Limit of one run."),
    click.option("--memory", type=click.IntRange(1), metavar="MB", help="Limit of one run, beyond what torch holds."),
    click.option("--network", is_flag=True, help="Let the code that is run use the network."),
)
_running = options(
    _entry,
    click.option("--examples", type=click.IntRange(1), metavar="N", help="Random variations of the inputs to try."),
    click.option("--no-cache", is_flag=True, help="Judge anew what an earlier run judged."),
    click.option(
        "--backend", "backends", multiple=True, metavar="NAME", help="Compiler backend to compare; eager always."
    ),
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "-V", "--version", prog_name="refactor", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Rewrite PyTorch source so that torch.compile captures it in few, large graphs, and prove each rewrite first."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    elif os.environ.get("FORCE_COLOR"):
        ctx.color = True


@main.command()
@_selection
@_evidence
@_any_format
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Report only what it does not list.")
@click.option("--update-baseline", is_flag=True, help="Write what is found to the --baseline, and report nothing.")
@click.option("--diff-filter", metavar="REV", help="Report only lines changed since; `main...`: since leaving main.")
@click.option("--no-cache", is_flag=True, help="Look anew at files that an earlier run has looked at.")
@click.option("--add-ignore", is_flag=True, help="Add an ignore comment for each finding, and report the rest.")
def check(**given: Any) -> None:
    """Find what cuts the graph, with a reason each, and why not where there is no fix. Runs no user code."""
    from .commands import check as run

    sys.exit(run(given))


@main.command()
@_selection
@_format
@_running
@_evidence
@click.option("--only-observed", is_flag=True, help="With --evidence: change nothing but what did harm in it.")
@click.option("--verify", type=click.Choice(["off", "auto", "require"]), help="When the rewrite is run. Default: auto.")
@click.option("--unsafe-fixes", is_flag=True, help="Take fixes that are not exact, or rest on assumptions.")
@click.option("--dry-run", "--diff", is_flag=True, help="Write nothing; print a patch that `git apply` takes.")
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 1 if anything would change.")
@click.option("--show-fixes", is_flag=True, help="List every fix, and every finding left with its reason.")
def apply(**given: Any) -> None:
    """Rewrite files, verified on calls that are named or found.

    A refuted fix is never written. `--verify require` writes verified ones only; `auto` also writes those that are safe
    on static facts and could not be run, and says so; `off` runs no user code.
    """
    from .commands import apply as run

    sys.exit(run(given))


@main.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@_running
@_format
@_configuration
def verify(old: str, new: str, **given: Any) -> None:
    """Is NEW observably OLD, and does it break less? Exits 0 on VERIFIED only."""
    from .commands import verify as run

    sys.exit(run(Path(old), Path(new), given))


class Tracing(click.Command):
    """A command whose arguments are another command line; `--` says that this is no script of Python's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read our own options, up to the first word that is none."""
        head = args[: args.index("--")] if "--" in args else None
        ctx.meta["plain command"] = head is not None and not self.make_parser(ctx).parse_args(args=list(head))[1]
        return super().parse_args(ctx, args)


@main.command(cls=Tracing, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-m", "module", metavar="MODULE", help="Run a module, as `python -m` does.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Default: .refactor/trace.json.")
@click.option("--append", is_flag=True, help="Keep the runs that the file holds already.")
@click.option("--record-values", is_flag=True, help="Record the elements of small tensors too, not their range alone.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARG]... | -- COMMAND [ARG]...")
@click.pass_context
def trace(
    ctx: click.Context,
    module: str | None,
    output: Path | None,
    append: bool,
    record_values: bool,
    arguments: tuple[str, ...],
) -> None:
    """Run a program as it is and record what torch.compile makes of it: breaks, skipped frames, recompiles, inputs.

    Its output and exit status are passed through. The trace is for `apply --evidence`, `check --evidence` and
    `explain --evidence`.
    """
    from .trace import trace as run

    if module is not None:
        command = [sys.executable, "-m", module, *arguments]
    elif not arguments:
        raise UserError("expected a script, `-m MODULE`, or `--` and a command")
    elif ctx.meta["plain command"]:
        command = list(arguments)
    elif not Path(arguments[0]).is_file():
        raise UserError(f"there is no script {arguments[0]}; to run a command write `refactor trace -- {arguments[0]}`")
    else:
        command = [sys.executable, *arguments]
    sys.exit(run(command, output, append, record_values))


@main.command()
@click.argument("target", metavar="[TARGET]", required=False, type=click.Path(path_type=Path))
@click.option("--evidence", metavar="TRACE", help="Tell what a recorded run did; nothing is run.")
@click.option("--html", metavar="FILE", help="Write a page that shows it, readable without a network.")
@click.option("--backend", default="aot_eager", show_default=True, metavar="NAME", help="Compiler backend to measure.")
@_entry
@click.option("--verify", type=click.Choice(["off", "auto", "require"]), help="When the rewrite is run. Default: auto.")
@click.option("--unsafe-fixes", is_flag=True, help="Take fixes that are not exact, or rest on assumptions.")
@_any_format
@_configuration
def explain(target: Path | None, **given: Any) -> None:
    """Run TARGET and tell where the graph is cut, why, what it costs, and which rule cures it.

    Cuts, skipped frames and recompiles come with their reason, and T_avg = T_guard + T_run + f_fail * T_rebuild with
    each term measured, before and after the rewrite. Exits 1 where there is any of them.
    """
    from .explaining import explain as run

    sys.exit(run(target, given))


@main.command()
@click.option("--stdio", is_flag=True, expose_value=False, help="For editors that insist on it: the only way.")
def server() -> None:
    """Speak the Language Server Protocol with an editor: diagnostics, fixes, hover, verification."""
    from .server.app import serve

    serve()


@main.command()
@click.argument("code", required=False)
@click.option("--all", "everything", is_flag=True, help="All rules.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rule(code: str | None, everything: bool, output_format: str) -> None:
    """Show the documentation of a rule."""
    from .commands import rule as run

    if (code is None) == (not everything):
        raise UserError("expected the code of a rule, or --all")
    run(code, output_format)


@main.command()
@click.argument("path", default=".")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_configuration
def config(path: str, output_format: str, configs: tuple[str, ...], isolated: bool) -> None:
    """Show the settings in force for PATH, and where each comes from."""
    from .commands import settings as run

    run(Path(path), output_format, configs, isolated)


main.add_command(migrate)
