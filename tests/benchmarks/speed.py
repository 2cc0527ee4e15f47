"""Speed of rewritten code, side by side with the original in one process, as ratios.

    python tests/benchmarks/speed.py SCENARIOS [--cases CASES] [--sample 10]

SCENARIOS and CASES are folders of files with `make_callable()` and `make_inputs()`. Each file is rewritten by
`refactor apply --verify off` into a folder of its own. For a scenario it prints calls per second of the compiled
original, the eager rewrite and the compiled rewrite (inductor on CPU), each as a ratio to the eager original, with
the seconds that compiling took over the first pass of all inputs, and the break sites and recompiles in it.
Nothing is taken from a cache of compiled code, and the compiler is loaded before. For a sample of the cases that the
tool changes, and for the scenarios, it prints the eager time of the rewrite as a ratio to that of the original: the
aim is at most 1.05. Rounds of all arms alternate, and the best of each counts, in processor time, so that a shared
machine hurts all alike. Exit status 1 where the aim is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import logging
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

AIM = 1.05
ROUNDS = 40
SLICE_S = 0.02  # one round of one arm
Pass = Callable[[], None]


def load(path: Path) -> Any:
    """The module of a file, under a name that an op's namespace may have."""
    name = f"{path.parent.name}_{path.stem}".replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def passing(call: Callable[..., Any], inputs: list[tuple[Any, Any]]) -> Pass:
    """A pass over all inputs; some raise on purpose."""

    def run() -> None:
        for args, kwargs in inputs:
            with contextlib.suppress(Exception):
                call(*args, **kwargs)

    return run


def seconds(run: Pass, times: int, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of one pass, the mean of `times`; of the processor, as others may use the machine."""
    start = clock()
    for _ in range(times):
        run()
    return (clock() - start) / times


def best(arms: dict[str, Pass]) -> dict[str, float]:
    """The best seconds a pass of each arm, in alternating rounds."""
    times = {}
    for name, run in arms.items():
        run()
        times[name] = max(1, int(SLICE_S / max(seconds(run, 1), 1e-6)))
    found = dict.fromkeys(arms, math.inf)
    names = list(arms)
    for turn in range(ROUNDS):
        for name in names if turn % 2 else reversed(names):
            found[name] = min(found[name], seconds(arms[name], times[name]))
    return found


def load_compiler() -> None:
    """Compile something small, so that the first arm does not pay for what is loaded and probed once."""
    import torch

    torch.compile(lambda x: x.sin() + 1, backend="inductor")(torch.zeros(4))
    torch.compiler.reset()


def compiled(module: Any) -> tuple[Pass, dict[str, Any]]:
    """A compiled arm, with what its first pass took."""
    import torch

    from refactor.verify.dynamo import Meter

    meter = Meter()
    run = passing(torch.compile(module.make_callable(), backend="inductor"), module.make_inputs())
    with meter.listening():
        first = seconds(run, 1, time.perf_counter)
    counts = meter.counts()
    return run, {"first_s": first, "sites": len(counts.break_sites), "recompiles": counts.recompiles}


def measured(old: Path, new: Path, compile_too: bool) -> dict[str, Any]:
    """The figures of one file, in this process."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    before, after = load(old), load(new)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        arms = {name: passing(m.make_callable(), m.make_inputs()) for name, m in (("old", before), ("new", after))}
        notes: dict[str, dict[str, Any]] = {}
        if compile_too:
            load_compiler()
            for name, module in (("compiled old", before), ("compiled new", after)):
                arms[name], notes[name] = compiled(module)
        return {"seconds": best(arms), "notes": notes}


def apart(old: Path, new: Path, compile_too: bool) -> dict[str, Any]:
    """`measured` in a process of its own."""
    command = [sys.executable, __file__, "--one", str(old), str(new), *(["--compile"] if compile_too else [])]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def rewritten(files: list[Path], into: Path, flags: list[str]) -> list[tuple[Path, Path]]:
    """Copies of the files, rewritten: those that changed, beside the originals."""
    into.mkdir()
    copies = [into / file.name for file in files]
    for file, copy in zip(files, copies, strict=True):
        copy.write_bytes(file.read_bytes())
    command = [sys.executable, "-m", "refactor", "apply", str(into), "--verify", "off", "--isolated", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return [pair for pair in zip(files, copies, strict=True) if pair[0].read_bytes() != pair[1].read_bytes()]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("scenarios", type=Path, nargs="?")
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--sample", type=int, default=10)
    parser.add_argument("--one", type=Path, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--compile", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(*given.one, given.compile)))
        return 0
    if given.scenarios is None:
        parser.error("name the folder of scenarios")
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for old, new in rewritten(sorted(given.scenarios.glob("*.py")), Path(folder, "scenarios_new"), []):
            found = apart(old, new, True)
            slow += report(old.name, found)
        if given.cases is not None:
            pairs = rewritten(sorted(given.cases.glob("*.py")), Path(folder, "cases_new"), [])
            step = max(1, len(pairs) // given.sample)
            for old, new in pairs[::step][: given.sample]:
                slow += report(old.name, apart(old, new, False))
    print(f"rewrites slower than {AIM} of the original in eager mode: {slow}")
    return 1 if slow else 0


def report(name: str, found: dict[str, Any]) -> int:
    """Print the figures of one file; 1 where the eager rewrite is too slow."""
    took, notes = found["seconds"], found["notes"]
    ratio = took["new"] / took["old"]
    print(f"{name}: eager time {ratio:.3f} of the original's", flush=True)
    for arm, note in notes.items():
        print(
            f"  {arm}: {took['old'] / took[arm]:.2f} x the calls per second of the eager original, "
            f"{note['first_s'] - took[arm]:.1f} s to compile, {note['sites']} break sites, "
            f"{note['recompiles']} recompiles"
        )
    if notes:
        print(f"  compiled new against compiled old: {took['compiled old'] / took['compiled new']:.2f} x", flush=True)
    return int(ratio > AIM)


if __name__ == "__main__":
    sys.exit(main())
