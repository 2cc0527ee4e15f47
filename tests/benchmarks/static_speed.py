"""What `check` costs beside `ast.parse` of the same files, Fixit 2 and TorchFix, in processor time and one process.

    python tests/benchmarks/static_speed.py TREE [--sample 200] [--others PYTHON] [--few 20] [--growth]

TREE is a folder of Python files, such as the unpacked `transformers==4.52.4`; `--sample` takes that many of its files,
the same ones each time, with the folders around them. Rows, each as a multiple of `ast.parse` of the same files:
`check` cold and warm (with its cache), and `apply --verify off`. `--others` names a Python that has `fixit` and
`torchfix`: both are run on `--few` of the files, Fixit with one trivial rule, and `check` on the same ones beside
them. `--growth` prints the cost of `check` per line as one file grows from 100 to 10,000 lines, and per file as a tree
grows from 100 to 10,000 files, each with the exponent of the power law that fits best: 1 is linear. Exit status 1
where an aim is missed: cold 4, warm 0.3, 30 times faster than the others, exponents of 1.1.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

COLD, WARM, FASTER, EXPONENT = 4.0, 0.3, 30.0, 1.1
PARSE = """
import ast, sys
for line in open(sys.argv[1]):
    with open(line.rstrip("\\n"), "rb") as file:
        ast.parse(file.read())
"""
FIXIT = '[tool.fixit]\nroot = true\nenable = ["fixit.rules.no_static_if_condition"]\ndisable = ["fixit.rules"]\n'
MODEL = """
class Block{0}(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.linear(x))
        if h.sum() > {0}:
            h = h * 2
        for i in range(3):
            h = h + i
        return h
"""
HEAD = "import torch\nfrom torch import nn\n\n"


def seconds(command: Sequence[str], folder: Path, codes: Sequence[int] = (0, 1)) -> float:
    """Processor seconds of a command and of all that it starts."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes or "Traceback" in done.stderr:
        sys.exit(f"{' '.join(command)}: {done.stderr[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def refactor(*arguments: str) -> list[str]:
    """A command of this tool in one process."""
    return [sys.executable, "-m", "refactor", *arguments, "--isolated", "--jobs", "1", "--statistics"]


def parse_s(tree: Path, folder: Path) -> float:
    """Seconds of `ast.parse` of all files of a tree, the start of Python included as for all others."""
    listed = folder / "files.txt"
    listed.write_text("".join(f"{file}\n" for file in sorted(tree.rglob("*.py"))))
    return seconds([sys.executable, "-c", PARSE, str(listed)], folder)


def sampled(tree: Path, number: int, into: Path) -> Path:
    """A copy of some files of a tree at their places, without the other files that they import from."""
    files = sorted(tree.rglob("*.py"))
    for file in random.Random(number).sample(files, min(number, len(files))):
        copy = into / file.relative_to(tree)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return into


def against_parse(tree: Path, folder: Path) -> int:
    """Print the rows of this tool; how many aims are missed."""
    base = parse_s(tree, folder)
    lines = sum(file.read_bytes().count(b"\n") for file in tree.rglob("*.py"))
    print(f"{len(list(tree.rglob('*.py')))} files, {lines} lines, ast.parse {base:.2f} s", flush=True)
    cold = seconds(refactor("check", str(tree)), folder) / base
    warm = seconds(refactor("check", str(tree)), folder) / base
    print(f"check, cold: {cold:.2f} x ast.parse (aim {COLD:g})", flush=True)
    print(f"check, warm: {warm:.2f} x ast.parse (aim {WARM:g})", flush=True)
    applied = seconds(refactor("apply", str(tree), "--verify", "off", "--check"), folder) / base
    print(f"apply --verify off: {applied:.2f} x ast.parse", flush=True)
    return (cold > COLD) + (warm > WARM)


def against_others(tree: Path, python: str, few: int, folder: Path) -> int:
    """Print how much faster this tool is than others on the same files; how many aims are missed."""
    part = sampled(tree, few, folder / "few")
    (part / "pyproject.toml").write_text(FIXIT)
    base = parse_s(part, folder)
    cold = seconds(refactor("check", str(part), "--no-cache"), folder)
    print(f"{few} files: check {cold / base:.1f} x ast.parse", flush=True)
    missed = 0
    for name, command in (
        ("Fixit 2 with one rule", [python, "-m", "fixit", "--quiet", "lint", str(part)]),
        ("TorchFix", [str(Path(python).parent / "torchfix"), "-j", "1", "--select", "ALL", str(part)]),
    ):
        took = seconds(command, folder, codes=(0, 1, 2, 3))
        print(f"  {name}: {took / base:.1f} x ast.parse, {took / cold:.1f} times what check takes (aim {FASTER:g})")
        missed += took / cold < FASTER
    return missed


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The power of the size that the costs grow with, by least squares of the logarithms."""
    x, y = [math.log(s) for s in sizes], [math.log(c) for c in costs]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / sum((a - mx) ** 2 for a in x)


def growth(folder: Path, most: int) -> int:
    """Print how the cost grows with a file and with a tree; how many exponents are too large."""
    empty = folder / "empty"
    empty.mkdir()
    (empty / "m.py").write_text("")
    start = seconds(refactor("check", str(empty), "--no-cache"), folder)
    missed = 0
    for what in ("lines in one file", "files"):
        sizes, costs = [], []
        for size in (s for s in (100, 300, 1000, 3000, 10_000) if s <= most):
            tree = folder / f"{what.split()[0]}{size}"
            tree.mkdir()
            blocks = size // MODEL.count("\n") if what != "files" else 1
            # Short files are many, so that what they cost is not lost in what starting costs.
            files = size if what == "files" else max(1, most // size)
            for number in range(files):
                text = HEAD + "".join(MODEL.format(number * blocks + block) for block in range(blocks))
                (tree / f"m{number}.py").write_text(text)
            cost = seconds(refactor("check", str(tree), "--no-cache"), folder) - start
            cost = cost if what == "files" else cost / files
            print(f"  {size} {what}: {cost:.2f} s, {cost / size * 1e6:.0f} us each", flush=True)
            sizes.append(size)
            costs.append(max(cost, 1e-3))
            shutil.rmtree(tree)
        power = exponent(sizes, costs)
        print(f"{what}: cost grows with the power {power:.2f} (aim {EXPONENT:g})", flush=True)
        missed += power > EXPONENT
    return missed


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--others", metavar="PYTHON")
    parser.add_argument("--few", type=int, default=20)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--most", type=int, default=10_000, help="lines and files of the largest step of --growth")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = given.tree.absolute()
        missed = against_parse(sampled(tree, given.sample, folder / "tree") if given.sample else tree, folder)
        if given.others:
            missed += against_others(tree, given.others, given.few, folder)
        if given.growth:
            missed += growth(folder, given.most)
    print(f"aims missed: {missed}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
