"""Run `mypy --strict` over the package as it installs.

mypy knows nothing of setuptools' package-dir, so the installed shape is laid out in build/types as links first.
Arguments are handed on to mypy.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def lay_out(target: Path) -> None:
    """Make `target/refactor` hold the three folders as one package, each entry a link into the repository."""
    package = target / "refactor"
    package.mkdir(parents=True, exist_ok=True)
    for link in package.iterdir():
        link.unlink()
    entries = [*(ROOT / "refactor").iterdir(), ROOT / "transforms", ROOT / "verify"]
    for entry in entries:
        if entry.name != "__pycache__":
            (package / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())


def main() -> int:
    """Check the whole package; the exit status is mypy's."""
    target = ROOT / "build" / "types"
    lay_out(target)
    arguments = ["--config-file", str(ROOT / "pyproject.toml"), "-p", "refactor", *sys.argv[1:]]
    return subprocess.run([sys.executable, "-m", "mypy", *arguments], cwd=target, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
