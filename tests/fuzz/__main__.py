"""Makes programs, rewrites and judges them for a time; prints what was wrong, made small, with its seed.

python -m tests.fuzz --minutes 10 --seed 1 [--unsafe] [--eager] [--mutate] [--seeds FOLDER] [--jobs 2] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .reduce import MARK, reduced

BATCH = 10
FAULTY = 3  # how a batch ends that has found a fault; an exception ends it with 1


def main() -> int:
    """The exit code: 1 where a fault was found."""
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1, help="the first batch's seed; the next ones count up")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--unsafe", action="store_true", help="apply unsafe fixes too, with what they declare")
    parser.add_argument("--eager", action="store_true", help="do not compile")
    parser.add_argument("--keep", type=Path, help="a folder for the programs that show a fault")
    parser.add_argument("--mutate", action="store_true", help="change the rules' own cases instead of making programs")
    parser.add_argument("--seeds", type=Path, help="a folder of programs to change in place of the rules' cases")
    parser.add_argument("--whole", action="store_true", help="do not make the programs small")
    parser.add_argument("--batch", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.batch:
        return _batch(options)
    deadline = time.monotonic() + 60 * options.minutes
    seeds = iter(range(options.seed, options.seed + 10**6))
    faults = 0

    def work(_: int) -> int:
        found = 0
        while time.monotonic() < deadline:
            found += _child(next(seeds))
        return found

    with ThreadPoolExecutor(options.jobs) as pool:
        faults = sum(pool.map(work, range(options.jobs)))
    print(f"{next(seeds) - options.seed} batches from seed {options.seed} in {options.minutes:g} min, {faults} faults")
    return 1 if faults else 0


def _child(seed: int) -> int:
    """One batch in a process of its own, which may crash."""
    command = [sys.executable, "-m", "tests.fuzz", *sys.argv[1:], "--seed", str(seed), "--batch"]
    done = subprocess.run(command, text=True, stderr=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"})
    if done.returncode not in (0, FAULTY):
        print(f"seed {seed}: ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}", flush=True)
    return done.returncode != 0


def _batch(options: argparse.Namespace) -> int:
    from hypothesis import HealthCheck, Phase, given, seed, settings

    from refactor.errors import UserError

    from .mutated import mutated
    from .programs import programs
    from .rig import FaultError, judged

    count: Counter[str] = Counter()

    def check(text: str) -> None:
        count["programs"] += 1
        try:
            outcome = judged(text, options.unsafe, not options.eager, options.seed)
        except FaultError as fault:
            count["faults"] += 1
            _tell(fault, text, options)
            return
        except (UserError, SyntaxError):
            count["unfit"] += 1
            return
        if outcome.verdict is not None:
            count[outcome.verdict.status] += 1
            count["gained"] += outcome.verdict.gains

    started = time.monotonic()
    if options.mutate:
        choose = random.Random(options.seed)
        for _ in range(BATCH):
            check(mutated(choose, options.seeds))
    else:
        quiet = list(HealthCheck)
        calm = settings(
            max_examples=BATCH, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=quiet
        )
        run: Callable[[], None] = seed(options.seed)(calm(given(programs())(check)))
        run()
    words = ", ".join(f"{number} {what}" for what, number in sorted(count.items()))
    print(f"seed {options.seed}: {words} in {time.monotonic() - started:.0f} s", flush=True)
    return FAULTY if count["faults"] else 0


def _tell(fault: Exception, text: str, options: argparse.Namespace) -> None:
    """Print a fault and its program, made small, and keep it where a folder is named."""
    headline = str(fault).partition("\n")[0]
    small = text if options.whole else reduced(text, lambda candidate: _headline(candidate, options), headline)
    print(f"seed {options.seed}: {headline}\n{small[max(small.find(MARK), 0) :]}", flush=True)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha1(small.encode()).hexdigest()[:10]
        (options.keep / f"{name}.py").write_text(f"# {headline}\n{small}")


def _headline(text: str, options: argparse.Namespace) -> str:
    """What is wrong with a program, one line; empty where nothing is."""
    from .rig import FaultError, judged

    try:
        judged(text, options.unsafe, not options.eager, options.seed)
    except FaultError as fault:
        return str(fault).partition("\n")[0]
    except Exception:
        return ""
    return ""


if __name__ == "__main__":
    sys.exit(main())
