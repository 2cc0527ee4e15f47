"""The options of `refactor migrate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click


class Migrate(click.Group):
    """A group whose own work is a command: what is no subcommand is a source."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before what names no subcommand."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usage as users write it."""
        formatter.write_usage(ctx.command_path, "SOURCE... --out DIR [OPTIONS]  |  report DIR  |  ledger merge DIR...")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the work itself, then the subcommands."""
        click.Command.format_options(self.commands["run"], ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=Migrate, no_args_is_help=True)
def migrate() -> None:
    """Rewrite whole repositories, each in a checkout of its own: patches, verdicts, a ledger to resume from.

    SOURCE is a folder, a git URL, or a list file (.csv, .yaml) with name, url, revision and settings per line.
    Nothing is written outside of --out. Code of a repository runs only to verify a rewrite (`--verify off`: never), and
    where --trace, --test or --install ask for it.
    """


@migrate.command(hidden=True)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--out", required=True, type=click.Path(file_okay=False), metavar="DIR", help="Ledger and patches.")
@click.option("--verify", type=click.Choice(["off", "auto", "require"]), default="require", show_default=True)
@click.option("--select", multiple=True, metavar="CODE", help="Rules to look for, instead of the repository's own.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Rules to leave out.")
@click.option("--unsafe-fixes", is_flag=True, help="Take fixes that are not exact, or rest on assumptions.")
@click.option("--factory", metavar="[FILE:]NAME", help="As in `apply`; FILE is relative to the repository.")
@click.option("--inputs", metavar="[FILE:]NAME", help="As in `apply`; FILE is relative to the repository.")
@click.option("--trace", default="", metavar="COMMAND", help="Run under `refactor trace`: what it shows is evidence.")
@click.option("--test", default="", metavar="COMMAND", help="The repository's own tests, run before and after.")
@click.option("--python", default="", metavar="FILE", help="The interpreter of such commands.")
@click.option("--install", default="", metavar="ARGUMENTS", help="Make an environment: `pip install ARGUMENTS`.")
@click.option("--commit", is_flag=True, help="Make a branch with one commit per rule, as a git bundle.")
@click.option(
    "--budget", "budget_s", type=float, default=1800.0, show_default=True, metavar="SECONDS", help="For one repository."
)
@click.option(
    "--timeout",
    "timeout_s",
    type=float,
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="For one file's verification.",
)
@click.option(
    "--test-timeout",
    "test_timeout_s",
    type=float,
    default=900.0,
    show_default=True,
    metavar="SECONDS",
    help="For one run of a command.",
)
@click.option("--max-bytes", type=click.IntRange(1), default=2 << 20, show_default=True, help="Of a file to treat.")
@click.option("--retries", type=click.IntRange(0), default=3, show_default=True, help="For a remote out of reach.")
@click.option("--resume", is_flag=True, help="Go on where an earlier run was stopped.")
@click.option("--retry-failed", is_flag=True, help="Go on, and take again what failed.")
@click.option("--shard", metavar="I/N", help="The I-th of N parts of the list.")
@click.option("--jobs", type=click.IntRange(0), default=0, metavar="N", help="Repositories at a time; 0: processors.")
@click.option("--scheduler", metavar="ADDRESS", help="A dask scheduler, whose workers do it.")
def run(sources: tuple[str, ...], **given: Any) -> None:
    """Migrate the sources."""
    from .commands import migrate as work

    sys.exit(work(sources, given))


@migrate.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--output-format", type=click.Choice(["html", "json", "sarif", "markdown"]), default="html", show_default=True
)
@click.option("--output", type=click.Path(path_type=Path), metavar="PATH", help="A folder for html, else a file.")
def report(folder: Path, output_format: str, output: Path | None) -> None:
    """Show what became of the repositories of a migration."""
    from .commands import report as work

    sys.exit(work(folder, output_format, output))


@migrate.group()
def ledger() -> None:
    """Work on ledgers."""


@ledger.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(file_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
def merge(folders: tuple[Path, ...], out: Path) -> None:
    """Put the parts of a migration together, as shards leave them."""
    from .commands import ledger_merge as work

    sys.exit(work(folders, out))
