"""The real processes of a study: as many as the machine can spare, and ended with whoever asked."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.app.study.conftest import spec_of
from ucbpe_app.study.session import workers_of

ROOT = Path(__file__).parents[3]
SECONDS = 180  # on a machine that is busy with other tests
GIB = 2**30
# Runs of a tenth of a second: enough of them to be in the middle of.
LONG = spec_of(problem="himmelblau", batches=20, batch_size=10, initial=20, replicates=100)


@pytest.mark.parametrize(
    ("cores", "memory", "servers", "expected"),
    [
        (2, 16 * GIB, 1, 1),
        (4, 8 * GIB, 1, 3),
        (64, 256 * GIB, 1, 8),
        (64, 256 * GIB, 21, 3),
        (8, 4 * GIB, 1, 2),
        (1, GIB, 4, 1),
    ],
)
def test_a_study_leaves_a_core_and_half_of_the_memory(
    cores: int, memory: int, servers: int, expected: int
) -> None:
    assert workers_of(cores, memory, servers) == expected


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "expected it to happen, got silence"
        time.sleep(0.05)


def workers_of_server(process: psutil.Process) -> list[psutil.Process]:
    """The live processes that one has spawned for a study."""
    return [
        one
        for one in process.children(recursive=True)
        if one.status() != psutil.STATUS_ZOMBIE and "spawn_main" in " ".join(one.cmdline())
    ]


@contextmanager
def server_with_a_study(*ending: str) -> Iterator[subprocess.Popen[str]]:
    """A process with a study that has results, and what it does then."""
    code = "\n".join(
        [
            "import os, time",
            "from ucbpe_app.study.session import Pool",
            "from tests.app.study.test_pool_processes import LONG, until",
            "pool = Pool()",
            "job = pool.submit(LONG.study())",
            "until(lambda: len(job.results) >= 2)",
            "print('running', flush=True)",
            *ending,
        ]
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == "running\n"
            yield server
        finally:
            server.kill()


@pytest.mark.slow
def test_a_study_ends_with_the_server() -> None:
    with server_with_a_study("time.sleep(2)", "os._exit(0)") as server:
        workers = workers_of_server(psutil.Process(server.pid))
        assert workers
        server.wait(SECONDS)
        assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []


@pytest.mark.slow
def test_a_study_that_is_cancelled_ends_its_processes() -> None:
    ending = "job.cancelled.cancel()", "time.sleep(60)"
    with server_with_a_study(*ending) as server:
        process = psutil.Process(server.pid)
        until(lambda: not workers_of_server(process))
        assert server.poll() is None
