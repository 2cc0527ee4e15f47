"""A real dask cluster on the loopback: the same result as here, also when it loses a worker."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .test_faults import repositories, result, start

pytestmark = pytest.mark.slow
pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, each a process: the scheduler's address, and the workers."""
    file, processes = str(folder / "scheduler.json"), list[subprocess.Popen[bytes]]()
    dask = [sys.executable, "-m", "dask"]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file]
    worker = [*dask, "worker", "--nthreads", "1", "--no-dashboard", "--no-nanny", "--scheduler-file", file]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        processes += [subprocess.Popen(command, cwd=folder, **silent) for command in (scheduler, worker, worker)]
        from distributed import Client

        with Client(scheduler_file=file, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


@pytest.mark.parametrize("lost", [False, True], ids=["whole", "one worker lost"])
def test_a_cluster_gives_the_same_result(tmp_path: Path, lost: bool) -> None:
    listed = repositories(tmp_path, 16)
    assert start(listed, tmp_path / "here").wait() == 0
    with cluster(tmp_path) as (address, workers):
        run = start(listed, tmp_path / "there", "--scheduler", address)
        assert run.stderr is not None
        for _ in range(3):
            assert run.stderr.readline()
        if lost:
            os.kill(workers[0].pid, signal.SIGKILL)
        run.stderr.read()
        assert run.wait() == 0
    assert result(tmp_path / "there") == result(tmp_path / "here")
