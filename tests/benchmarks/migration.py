"""Whole packages of others, migrated in one run: no crash, and all that is written parses and imports.

    python tests/benchmarks/migration.py --work DIR [--site SITE_PACKAGES] [--programs NAME,...] [NAME...]

The packages of `migrated_packages.txt` are downloaded from the index with `pip download --no-deps`, each is unpacked
into a git repository below DIR, and one run of `refactor migrate` goes over all of them. Packages that these need are
taken from SITE_PACKAGES where they are there. For those with a program in `packages.py` the run has a `--trace` and a
`--test`: the program's calls under `torch.compile`, and its outputs, compared to the last bit with those that the
package gave before; its break sites, graphs and skipped frames are counted in both states by Dynamo's own trace.

Afterwards each patch is applied to its repository by `git apply`, and every rewritten file is parsed, and imported
where that could be done before. Two tables in Markdown are printed: of what was found and done, and of the programs.
Exit status 1 where a repository or a rule failed, something written does not parse or import, or outputs differ.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packages import HEAD, PROGRAMS

LISTED = Path(__file__).with_name("migrated_packages.txt")
# Where a program's module is not called as its package is.
MODULES = {"pytorch-crf": "crf"}
TAIL = """
import pathlib
from refactor.verify.dynamo import Meter

def leaves(value):
    return [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in torch.utils._pytree.tree_leaves(value)]

def runs(f):
    found = []
    for i, given in enumerate(inputs):
        torch.manual_seed(i)
        found.append(leaves(f(*given)))
    return found

def alike(a, b):
    if not isinstance(a, torch.Tensor):
        return a == b
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))

mode, place = sys.argv[1], pathlib.Path(sys.argv[2])
if mode == "record":
    torch.save(runs(call), place)
if mode == "compare":
    pairs = zip(sum(torch.load(place, weights_only=False), []), sum(runs(call), []), strict=True)
    sys.exit(not all(alike(a, b) for a, b in pairs))
if mode == "trace":
    runs(torch.compile(call, backend="eager"))
if mode == "count":
    runs(call)  # as before: what it keeps is in the same state
if mode in ("record", "count"):
    meter, raised = Meter(), ""
    with meter.listening():
        try:
            runs(torch.compile(call, backend=meter.backend))
        except Exception as error:
            raised = type(error).__name__
    counts = meter.counts()
    print(json.dumps([len(counts.break_sites), counts.graphs, counts.skipped_frames, raised]))
"""
IMPORTS = """
import importlib, json, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException as error:
        print(json.dumps([name, f"{type(error).__name__}: {error}"]))
"""


@dataclass(frozen=True)
class Package:
    """A package, unpacked: its repository, and the folder for what belongs to it and is not in there."""

    name: str
    version: str
    root: Path
    beside: Path

    @property
    def program(self) -> str:
        """The program that calls it; empty for none."""
        module = MODULES.get(self.name, self.name.replace("-", "_"))
        return HEAD + PROGRAMS[module] + TAIL if module in PROGRAMS else ""

    @property
    def key(self) -> str:
        """Its name in the ledger."""
        return self.name

    def command(self, mode: str) -> str:
        """The shell command of its program, to be run in its checkout."""
        words = [sys.executable, "-W", "ignore", str(self.beside / "program.py"), mode, str(self.beside / "outputs.pt")]
        return 'PYTHONPATH="$PWD:$PYTHONPATH" ' + " ".join(f"'{word}'" for word in words)


def git(root: Path, *words: str) -> str:
    """Run git, as somebody without a configuration."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
    return subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True, text=True).stdout


def unpacked(requirement: str, work: Path) -> Package:
    """Download a package and make a repository of it, unless it is there."""
    name, _, version = requirement.partition("==")
    root, beside = work / "packages" / name, work / "beside" / name
    if not (root / ".git").is_dir():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        folder = work / "downloads" / name
        flags = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
        subprocess.run([sys.executable, "-m", "pip", "download", *flags, "-d", str(folder), requirement], check=True)
        [archive] = folder.iterdir()
        if archive.suffix == ".whl":
            zipfile.ZipFile(archive).extractall(root)
        else:
            with tarfile.open(archive) as stream:
                stream.extractall(root, filter="data")
            [top] = root.iterdir()
            top.rename(root.with_name(f"{name}.top"))
            root.rmdir()
            root.with_name(f"{name}.top").rename(root)
        for words in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message=as it was"]):
            git(root, *words)
    git(root, "checkout", "--quiet", "--force", "HEAD")
    package = Package(name, version, root, beside)
    if package.program:
        beside.mkdir(parents=True, exist_ok=True)
        (beside / "program.py").write_text(package.program)
    return package


def run(package: Package, mode: str) -> list[Any] | str:
    """Break sites, graphs, skipped frames and the exception of a program as the repository stands, or why not."""
    done = subprocess.run(package.command(mode), shell=True, cwd=package.root, capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
    counted: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return counted


def migrated(packages: Sequence[Package], runnable: set[str], work: Path, flags: Sequence[str]) -> tuple[int, Path]:
    """Run the migration; its exit status and its folder."""
    out = work / "out"
    shutil.rmtree(out, ignore_errors=True)
    with (work / "list.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["name", "url", "trace", "test"])
        for p in packages:
            commands = [p.command("trace"), p.command("compare")] if p.name in runnable else ["", ""]
            writer.writerow([p.key, str(p.root), *commands])
    command = [sys.executable, "-m", "refactor", "migrate", str(work / "list.csv"), "--out", str(out), *flags]
    return subprocess.run(command, check=False).returncode, out


def rows(out: Path, query: str, *values: str) -> list[tuple[Any, ...]]:
    """The rows of a query on the ledger."""
    connection = sqlite3.connect(out / "ledger.sqlite")
    try:
        return connection.execute(query, values).fetchall()
    finally:
        connection.close()


def applied(package: Package, out: Path) -> list[str]:
    """Apply the patch; the rewritten files."""
    patch = out / "repositories" / package.key / "changes.patch"
    if not patch.is_file():
        return []
    git(package.root, "apply", str(patch))
    return git(package.root, "diff", "--name-only").split("\n")[:-1]


def imported(package: Package, paths: Sequence[str]) -> dict[str, str]:
    """Why modules of the repository, as it stands, cannot be imported."""
    names = [re.sub(r"/__init__$", "", path.removesuffix(".py")).replace("/", ".") for path in paths]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package.root), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-W", "ignore", "-c", IMPORTS, *names]
    done = subprocess.run(command, cwd=package.root, env=env, capture_output=True, text=True, timeout=600)
    return dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))


def parses(path: Path) -> bool:
    """True where a file is valid Python."""
    try:
        ast.parse(path.read_bytes())
    except SyntaxError:
        return False
    return True


def checked(package: Package, out: Path) -> tuple[list[str], list[str], list[str]]:
    """The rewritten files, what is wrong with them, and what they lack to be imported."""
    paths = applied(package, out)
    wrong = [f"{package.name}: {path} does not parse" for path in paths if not parses(package.root / path)]
    after = imported(package, paths) if paths else {}
    if not after:
        return paths, wrong, []
    git(package.root, "stash", "--quiet")
    before = imported(package, paths)
    git(package.root, "stash", "pop", "--quiet")
    wrong += [f"{package.name}: {name}: {why}" for name, why in after.items() if name not in before]
    return paths, wrong, sorted({why for name, why in after.items() if name in before})


def table(packages: Sequence[Package], out: Path, notes: dict[str, str]) -> Iterator[str]:
    """What was found and done, a line a package."""
    yield "| package | version | files | findings by rule | fixes | verdicts of files | imports |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for p in packages:
        [(files, late)] = rows(
            out, "SELECT count(*), sum(reason LIKE '%budget%') FROM files WHERE repository = ?", p.key
        )
        found = rows(out, "SELECT code, count(*) FROM findings WHERE repository = ? GROUP BY code", p.key)
        fixes = rows(out, "SELECT code, count(*) FROM fixes WHERE repository = ? AND dropped = '' GROUP BY code", p.key)
        verdicts = rows(
            out, "SELECT verdict, count(*) FROM files WHERE repository = ? AND verdict != '' GROUP BY verdict", p.key
        )
        told = [", ".join(f"{count} {what}" for what, count in counted) for counted in (found, fixes, verdicts)]
        some = f"{files} ({late} late)" if late else str(files)
        yield f"| {p.name} | {p.version} | {some} | {' | '.join(told)} | {notes.get(p.name, '')} |"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--site", type=Path)
    parser.add_argument("--programs", help="The packages whose program is run, by commas; all by default.")
    parser.add_argument("--verify", default="auto")
    parser.add_argument("--budget", default="60")
    parser.add_argument("--timeout", default="45")
    parser.add_argument("--jobs", default="1")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    work = given.work.absolute()
    os.environ["OMP_NUM_THREADS"] = "1"
    if given.site:
        os.environ["PYTHONPATH"] = str(given.site.absolute())
    wanted = [line for line in LISTED.read_text().split() if not given.names or line.partition("==")[0] in given.names]
    packages = [unpacked(requirement, work) for requirement in wanted]
    chosen = given.programs.split(",") if given.programs is not None else [p.name for p in packages]
    before = {p.name: run(p, "record") for p in packages if p.program and p.name in chosen}
    runnable = {name for name, counted in before.items() if not isinstance(counted, str)}
    flags = ["--verify", given.verify, "--budget", given.budget, "--timeout", given.timeout, "--jobs", given.jobs]
    status, out = migrated(packages, runnable, work, flags)
    wrong = [f"the run ended with status {status}"] if status else []
    wrong += [
        f"{name}: {path}: {why}"
        for name, path, why in rows(out, "SELECT repository, path, reason FROM files")
        if "a bug of torch-refactor" in why
    ]
    notes: dict[str, str] = {}
    programs = [
        "| package | break sites | graphs | skipped frames | raised when compiled | outputs |",
        "| --- " * 6 + "|",
    ]
    for p in packages:
        paths, bad, lacking = checked(p, out)
        wrong += bad
        notes[p.name] = "; ".join(lacking) or (f"all {len(paths)}" if paths else "")
        if p.name not in runnable:
            continue
        after, same = run(p, "count"), subprocess.run(p.command("compare"), shell=True, cwd=p.root).returncode == 0
        wrong += [] if same else [f"{p.name}: the outputs differ"]
        pairs = list(zip(before[p.name], after, strict=True)) if not isinstance(after, str) else []
        cells = [f"{a or 'no'} -> {b or 'no'}" if n == 3 else f"{a} -> {b}" for n, (a, b) in enumerate(pairs)]
        programs.append(f"| {p.name} | {' | '.join(cells) or after} | {'equal' if same else 'NOT EQUAL'} |")
    print("\n".join([*table(packages, out, notes), "", *programs, ""]))
    print(
        "\n".join(
            f"{name} has a program that does not run: {why}" for name, why in before.items() if name not in runnable
        )
    )
    print("\n".join(wrong) or f"{len(packages)} packages, nothing wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
