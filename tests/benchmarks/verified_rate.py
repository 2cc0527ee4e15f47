"""Verified rewrites a minute of two states of the tool, side by side on the same files.

    python tests/benchmarks/verified_rate.py FOLDER OLD_PYTHON NEW_PYTHON [--rounds 1] [--jobs 2]

FOLDER holds files with `make_callable()` and `make_inputs()`, such as the cases of the corpus; each PYTHON has a state
of the tool installed. In turn each rewrites a fresh copy by `refactor apply --verify require`, which writes what it
verified and nothing else, without any cache. Printed per state: files and fixes that were verified, minutes, fixes a
minute, and the new rate as a multiple of the old. Exit status 1 where it is not at least twice the old.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WANTED = 2.0


def rewritten(folder: Path, python: Path, jobs: int) -> tuple[int, int, float]:
    """Files and fixes that were verified, and the minutes that it took."""
    with tempfile.TemporaryDirectory() as work:
        for path in sorted(folder.glob("*.py")):
            shutil.copy(path, work)
        command = [python, "-m", "refactor", "apply", ".", "--isolated", "--no-cache", "--verify", "require"]
        command += ["--factory", "make_callable", "--inputs", "make_inputs", "--jobs", str(jobs)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        started = time.perf_counter()
        command += ["--output-format", "json"]
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        minutes = (time.perf_counter() - started) / 60
    changed = [file for file in json.loads(done.stdout)["files"] if file["changed"]]
    fixes = [fix for file in changed for fix in file["fixes"] if fix["standing"] == "verified"]
    return len(changed), len(fixes), minutes


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("pythons", type=Path, nargs=2, metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    sums = [[0, 0, 0.0], [0, 0, 0.0]]
    for _ in range(given.rounds):
        for total, python in zip(sums, given.pythons, strict=True):
            found = rewritten(given.folder, python.absolute(), given.jobs)
            total[:] = [a + b for a, b in zip(total, found, strict=True)]
    rates = [fixes / minutes for _, fixes, minutes in sums]
    for name, (files, fixes, minutes), rate in zip(("old", "new"), sums, rates, strict=True):
        print(f"{name}: {files} files, {fixes} fixes verified in {minutes:.1f} minutes, {rate:.2f} a minute")
    print(f"new / old: {rates[1] / rates[0]:.2f}")
    return 0 if rates[1] >= WANTED * rates[0] else 1


if __name__ == "__main__":
    sys.exit(main())
