"""Holds the ledger of `refactor explain` against a measurement by hand with public torch APIs, before and after.

    python tests/benchmarks/cost_ledger.py SCENARIO.py [--rounds 5] [--backend inductor]

The scenario has `make_callable()` and `make_inputs()`. By hand: N_rebuild is the number of recompilations that
`TORCH_LOGS=recompiles` reports, f_fail the share of calls with one, T_rebuild what those calls take longer than the
same calls do once everything is compiled; a steady call is the median over the later passes. Both are measured in turn,
round by round, and the least of each time is compared, as other load only adds. Exit status 1 where they differ by more
than a fifth, or N_rebuild or T_rebuild does not fall. Each run is a new process that finds on the disk the code that an
earlier one has generated, as a program does that is started again.

A round takes some minutes with inductor. With a backend that generates no code, such as aot_eager, what a rebuild costs
is tracing alone, and one whole graph of symbolic shapes takes about as long to trace as its pieces did.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TOLERANCE = 0.2
HAND = """
import importlib.util, json, statistics, sys, time
import torch

spec = importlib.util.spec_from_file_location("scenario", sys.argv[1])
scenario = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scenario)
compiled = torch.compile(scenario.make_callable(), backend=sys.argv[2])


def passed(mark):
    walls = []
    for args, kwargs in scenario.make_inputs():
        if mark:
            print("CALL", file=sys.stderr, flush=True)
        started = time.perf_counter()
        compiled(*args, **kwargs)
        walls.append(time.perf_counter() - started)
    return walls


cold = passed(True)
print("END", file=sys.stderr, flush=True)
passed(False)
later = [passed(False) for _ in range(30)]
print(json.dumps({"cold": cold, "steady": [statistics.median(each) for each in zip(*later)]}))
"""


def by_hand(scenario: Path, backend: str, cache: Path) -> dict[str, float]:
    """N_rebuild, T_rebuild in s and a steady call in µs, from wall clocks and the log of recompilations."""
    environment = {**os.environ, "TORCH_LOGS": "recompiles", "OMP_NUM_THREADS": "1"}
    environment["TORCHINDUCTOR_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", HAND, scenario, backend]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    walls = json.loads(done.stdout.splitlines()[-1])
    calls = done.stderr.partition("END\n")[0].split("CALL\n")[1:]
    failed = [text.count("Recompiling function") for text in calls]
    extra = [c - s for c, s, count in zip(walls["cold"], walls["steady"], failed, strict=True) if count]
    steady = statistics.median(walls["steady"]) * 1e6
    rebuild = statistics.mean(extra) if extra else 0.0
    return {"N_rebuild": sum(failed), "f_fail": len(extra) / len(calls), "T_rebuild": rebuild, "steady": steady}


def by_tool(scenario: Path, backend: str) -> tuple[dict[str, float], dict[str, float]]:
    """The same two sides as `explain` tells them."""
    command = [sys.executable, "-m", "refactor", "explain", scenario, "--isolated", "--output-format", "json"]
    named = ["--factory", "make_callable", "--inputs", "make_inputs", "--verify", "off", "--backend", backend]
    named += ["--timeout", "900"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, *named], env=environment, capture_output=True, text=True, check=False, cwd=scenario.parent
    )
    if not done.stdout:
        sys.exit(done.stderr)
    document = json.loads(done.stdout)
    return figures(document["before"]["ledger"]), figures(document["after"]["ledger"])


def figures(ledger: dict[str, Any]) -> dict[str, float]:
    """The terms that are compared."""
    steady = ledger["run_us"]["middle"] + (ledger["guard_us"] or 0.0)
    counted = {"N_rebuild": ledger["rebuilds"], "f_fail": ledger["failure_rate"]}
    return {**counted, "T_rebuild": ledger["rebuild_s"], "steady": steady}


def main() -> int:
    """Measure, print the table, and judge it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--backend", default="inductor")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "old.py"), Path(folder, "new.py")
        old.write_text(given.scenario.read_text(encoding="utf-8"), encoding="utf-8")
        new.write_text(rewritten(old), encoding="utf-8")
        for text in (old, new):
            by_hand(text, given.backend, Path(folder))
        rounds = [
            (*(by_hand(text, given.backend, Path(folder)) for text in (old, new)), *by_tool(old, given.backend))
            for _ in range(given.rounds)
        ]
    hand_old, hand_new, tool_old, tool_new = (
        {name: min(each[name] for each in column) for name in column[0]} for column in zip(*rounds, strict=True)
    )
    good = True
    print(f"{'':10}  {'by hand':>10}  {'explain':>10}  ratio")
    for label, hand, tool in (("before", hand_old, tool_old), ("after", hand_new, tool_new)):
        for name in hand:
            ratio = tool[name] / hand[name] if hand[name] else 1.0
            fine = abs(ratio - 1) <= TOLERANCE
            good = good and fine
            print(f"{label:6} {name:10}  {hand[name]:10.4g}  {tool[name]:10.4g}  {ratio:.2f}{'' if fine else '  !'}")
    for name in ("N_rebuild", "T_rebuild"):
        print(f"{name} falls: by hand {hand_old[name]:.4g} -> {hand_new[name]:.4g}", end=", ")
        print(f"told {tool_old[name]:.4g} -> {tool_new[name]:.4g}")
        good = good and tool_new[name] < tool_old[name]
    return 0 if good else 1


def rewritten(scenario: Path) -> str:
    """The scenario as `apply` rewrites it."""
    command = [sys.executable, "-m", "refactor", "apply", "-", "--stdin-filename", scenario, "--isolated"]
    named = ["--verify", "off"]
    text = scenario.read_text(encoding="utf-8")
    return subprocess.run([*command, *named], input=text, capture_output=True, text=True, cwd=scenario.parent).stdout


if __name__ == "__main__":
    sys.exit(main())
