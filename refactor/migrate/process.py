"""Commands in a process group of their own, which ends with them, with us, or with their time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def run(
    command: Sequence[str] | str,
    cwd: Path,
    env: Mapping[str, str],
    timeout_s: float,
    merged: bool = False,
    grace_s: float = 0.0,
    tied: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command (a text goes to the shell) and return what it printed.

    Args:
        command: what to run.
        cwd: where.
        env: its whole environment.
        timeout_s: its wall-clock limit, in seconds.
        merged: standard error goes where standard output goes.
        grace_s: seconds between the request to end, at the limit, and the end.
        tied: it ends with this process, however that ends. Costs some ms, so not for what ends soon by itself.

    Raises:
        FileNotFoundError: there is no such command.
        TimeoutExpired: it ran past the limit; it and all that it started were killed.
    """
    from ..verify.limits import die_with_parent

    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(env),
        shell=isinstance(command, str),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        start_new_session=True,
        preexec_fn=die_with_parent if tied else None,
    )
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        if grace_s:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=grace_s)
        raise
    finally:
        # What the command left behind in its group goes with it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return subprocess.CompletedProcess(command, process.returncode, output, errors or b"")
