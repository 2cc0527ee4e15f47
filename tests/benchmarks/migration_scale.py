"""What `refactor migrate` costs however long the list is: throughput, memory of the parent, cost of a repository.

    python tests/benchmarks/migration_scale.py [--repositories 10000] [--throughput 60] [--rounds 2]

First small generated repositories are migrated without verification by one process, by two, and by a dask cluster on
the loopback (a scheduler and two workers, each a process), in turn; the rate of each is that between its first and its
last outcome, and is printed as a ratio to that of one process, the best round of each. Then one run goes over a list of
many tiny repositories. For each twentieth of it the processor time of a repository is printed, in ms, of the parent and
of the worker with the git processes that it starts, and how much the parent's memory has grown since the first
twentieth. Exit status 1 where that is more than 16 MB, or where the last fifth costs over 1.3 times the first.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from refactor.migrate.model import Origin, Outcome, Policy
from refactor.migrate.run import Plan, execute
from refactor.migrate.sources import origins

MOST_GROWTH_MB, MOST_RATIO = 16.0, 1.3
PARTS = 20
TICKS = os.sysconf("SC_CLK_TCK")
BRANCH = "import torch\n\n\ndef gate(x):\n    if x.sum() > 0:\n        x = x * 2\n    return x\n"


def repository(root: Path, files: dict[str, str]) -> None:
    """A git repository with one commit."""
    root.mkdir(parents=True)
    for name, text in files.items():
        (root / name).write_text(text)
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (["init", "--quiet"], ["add", "--all"], [*identity, "commit", "--quiet", "--message=first"]):
        subprocess.run(["git", *words], cwd=root, check=True)


class Watch:
    """Hears of the outcomes of a run, and reads clocks at them."""

    def __init__(self, every: int = 1) -> None:
        self.count, self.failed, self._every = 0, 0, every
        self.times: list[float] = []
        self.costs: list[tuple[float, float]] = []
        self.memory: list[float] = []

    def skipped(self, _: Origin) -> None:
        """Nothing is skipped here."""

    def done(self, outcome: Outcome) -> None:
        """A repository is in the ledger."""
        self.count += 1
        self.failed += outcome.status == "failed"
        self.times.append(time.monotonic())
        if self.count % self._every == 0:
            self.costs.append((seconds(os.getpid(), False), sum(seconds(pid, True) for pid in workers())))
            self.memory.append(resident())


def seconds(pid: int, with_children: bool) -> float:
    """Processor time of a process, and of the children that it has waited for."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11 : 15 if with_children else 13])) / TICKS


def workers() -> list[int]:
    """The processes that this one has started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


def resident() -> float:
    """Resident memory of this process, in MB."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """The address of a scheduler with two workers, each a process."""
    from distributed import Client

    file = str(folder / "scheduler.json")
    dask, place = [sys.executable, "-m", "dask"], ["--no-dashboard", "--scheduler-file", file]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *place]
    worker = [*dask, "worker", "--nthreads", "1", "--no-nanny", *place]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [subprocess.Popen(command, cwd=folder, **quiet) for command in (scheduler, worker, worker)]
    try:
        with Client(scheduler_file=file, timeout=120) as client:
            client.wait_for_workers(2, timeout=120)
            address = client.scheduler.address
        yield address
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def rate(sources: list[str], out: Path, jobs: int, scheduler: str) -> float:
    """Repositories a second, between the first outcome and the last."""
    watch = Watch(every=len(sources) + 1)
    execute(Plan(out, Policy(verify="off"), jobs, scheduler=scheduler), origins(sources), watch)
    if watch.failed or watch.count != len(sources):
        raise SystemExit(f"{watch.failed} of {watch.count} repositories failed")
    return (len(sources) - 1) / (watch.times[-1] - watch.times[0])


def throughput(folder: Path, count: int, rounds: int) -> None:
    """Print the rates as ratios."""
    sources = [str(folder / f"r{number}") for number in range(count)]
    for number, source in enumerate(sources):
        repository(Path(source), {"m.py": BRANCH, "n.py": f"import torch\n\nX = {number}\n"})
    rates: dict[str, list[float]] = {"1 process": [], "2 processes": [], "cluster of 2 workers": []}
    with cluster(folder) as address:
        for turn in range(rounds):
            for name, jobs, scheduler in zip(rates, (1, 2, 2), ("", "", address), strict=True):
                rates[name].append(rate(sources, folder / f"{name} {turn}", jobs, scheduler))
    one = max(rates["1 process"])
    for name, found in rates.items():
        print(f"{name:22} {max(found):7.2f} repositories a second, {max(found) / one:5.2f} times one process")


def long_list(folder: Path, count: int) -> int:
    """Print what one run over a long list costs from beginning to end; returns the exit status."""
    repository(folder / "tiny", {"m.py": "import torch\n"})
    listed = folder / "list.csv"
    (folder / "all").mkdir()
    names = [f"r{number:06}" for number in range(count)]
    for name in names:
        (folder / "all" / name).symlink_to(folder / "tiny")
    listed.write_text("\n".join(["url", *(f"all/{name}" for name in names)]) + "\n")
    watch = Watch(every=count // PARTS)
    execute(Plan(folder / "long", Policy(verify="off"), 1), origins([str(listed)]), watch)
    if watch.failed or watch.count != count:
        raise SystemExit(f"{watch.failed} of {watch.count} repositories failed")
    print(f"{'repositories':>12} {'parent, ms':>11} {'worker and git, ms':>19} {'parent has grown, MB':>21}")
    steps = list(zip(watch.costs, watch.costs[1:], watch.memory[1:], strict=False))
    each = []
    for number, (before, after, memory) in enumerate(steps, 2):
        parent, hands = (1000 * (b - a) / (count // PARTS) for a, b in zip(before, after, strict=True))
        each.append(parent + hands)
        print(f"{number * (count // PARTS):12} {parent:11.2f} {hands:19.2f} {memory - watch.memory[0]:21.2f}")
    fifth = PARTS // 5
    ratio = statistics.median(each[-fifth:]) / statistics.median(each[:fifth])
    growth = watch.memory[-1] - watch.memory[0]
    print(f"the last fifth costs {ratio:.2f} times the first; the parent grew by {growth:.2f} MB")
    return int(ratio > MOST_RATIO or growth > MOST_GROWTH_MB)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repositories", type=int, default=10_000)
    parser.add_argument("--throughput", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if given.throughput:
            throughput(Path(name), given.throughput, given.rounds)
        return long_list(Path(name), given.repositories) if given.repositories else 0


if __name__ == "__main__":
    sys.exit(main())
