"""Mutation testing by cosmic-ray: small changes to the code, each of which some test ought to notice.

    pip install cosmic-ray
    python tools/mutation.py [--sample 10] [--seed 0] [--timeout 120] MODULE…

Of each module (`transforms/rules/tensor_branch.py`, `verify/compare.py`) a random sample of the mutants is made, and
the tests that belong to the module are run on each. Printed: per module how many were killed, and the change of each
that survived. The files of this checkout are changed while it runs and restored afterwards: use a clone.
"""

from __future__ import annotations

import argparse
import ast
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parents[1]
CONFIG = """\
[cosmic-ray]
module-path = "{module}"
timeout = {timeout}
excluded-modules = []
test-command = "{command}"

[cosmic-ray.distributor]
name = "local"
"""


def tests_of(module: Path) -> str:
    """The tests that belong to a module, as arguments of pytest: the cases of a rule, the test files of its name."""
    if module.parent.name == "rules":
        return f"tests/rules/test_cases.py -k {module.stem.replace('_', '-')}/"
    folder = ROOT / "tests" / module.parent.relative_to(ROOT).parts[0]
    own = sorted(folder.glob(f"test_{module.stem}*.py")) or sorted(folder.glob("test_*.py"))
    return " ".join(str(path.relative_to(ROOT)) for path in own)


def annotated(module: Path) -> set[int]:
    """The lines of annotations, which are never evaluated: no test can notice what is changed there."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.expr):
                found.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return found


def sample(session: Path, module: Path, count: int, seed: int) -> None:
    """Leave all but some of the mutants out, the same ones for the same seed."""
    dead = annotated(module)
    with use_db(str(session), WorkDB.Mode.open) as database:
        places = {item.job_id: item.mutations[0] for item in database.work_items}
        order = sorted(places, key=lambda j: (places[j].start_pos, places[j].operator_name, places[j].occurrence))
        living = [job for job in order if places[job].start_pos[0] not in dead]
        chosen = set(random.Random(seed).sample(living, min(count, len(living))))
        for job in order:
            if job not in chosen:
                database.set_result(job, WorkResult(WorkerOutcome.SKIPPED))


def cosmic_ray(command: str, config: Path, session: Path) -> None:
    """Run one command of cosmic-ray in this checkout."""
    subprocess.run([sys.executable, "-m", "cosmic_ray.cli", command, str(config), str(session)], cwd=ROOT, check=True)


def mutated(module: Path, count: int, seed: int, timeout: float, python: Path) -> tuple[int, list[str]]:
    """How many mutants of the module were run, and the changes that no test noticed."""
    with tempfile.TemporaryDirectory() as folder:
        config, session = Path(folder, "config.toml"), Path(folder, "session.sqlite")
        command = f"{python} -m pytest -x -q -p no:cacheprovider -p no:randomly {tests_of(module)}"
        config.write_text(CONFIG.format(module=module.relative_to(ROOT), timeout=timeout, command=command))
        cosmic_ray("init", config, session)
        sample(session, module, count, seed)
        cosmic_ray("exec", config, session)
        with use_db(str(session), WorkDB.Mode.open) as database:
            results = [r for _, r in database.completed_work_items if r.worker_outcome is not WorkerOutcome.SKIPPED]
    return len(results), [r.diff or "" for r in results if r.test_outcome is TestOutcome.SURVIVED]


def main() -> int:
    """The command; exit status 1 where a mutant survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sample", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="What runs the tests.")
    parser.add_argument("modules", type=Path, nargs="+")
    given = parser.parse_args()
    alive = 0
    for module in given.modules:
        ran, survivors = mutated(module.resolve(), given.sample, given.seed, given.timeout, given.python)
        alive += len(survivors)
        print(f"{module}: {ran - len(survivors)} of {ran} killed", flush=True)
        for diff in survivors:
            print("\n".join(f"    {line}" for line in diff.splitlines()), flush=True)
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
