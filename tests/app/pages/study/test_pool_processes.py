"""The real processes of a study: behind all others, and ended with whoever asked."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.app.pages.study.conftest import spec_of
from tests.processes import printed
from ucbpe_app.pages.study.pool import NICE, Share, nice, share
from ucbpe_core.errors import InputError

ROOT = Path(__file__).parents[4]
SECONDS = 180  # on a machine that is busy with other tests
GIB = 2**30
# Runs of a tenth of a second: enough of them to be in the middle of.
LONG = spec_of(problem="himmelblau", batches=20, batch_size=10, initial=20, replicates=100)


@pytest.mark.parametrize(
    ("cores", "memory", "expected"),
    [
        (2, 16 * GIB, Share(1, 2 * GIB)),
        (4, 8 * GIB, Share(3, 4 * GIB // 3)),
        (64, 256 * GIB, Share(8, 2 * GIB)),
        (8, 4 * GIB, Share(2, GIB)),
    ],
)
def test_a_study_leaves_a_core_and_half_of_the_memory(
    cores: int, memory: int, expected: Share
) -> None:
    assert share(cores, memory) == expected


def test_studies_run_behind_all_others_unless_told_otherwise() -> None:
    assert nice({}) is None
    assert nice({NICE: "0"}) == 0
    for said in ("-1", "20", "", "low"):
        with pytest.raises(InputError, match="from 0 to 19"):
            nice({NICE: said})


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "behind"), [(None, True), (3, False)])
def test_what_gives_way_yields_to_whatever_wakes(steps: int | None, behind: bool) -> None:
    code = (
        "import os, resource; from ucbpe_app.pages.study.pool import give_way; "
        f"give_way({steps}, 2**31); "
        "print(os.nice(0), os.sched_getscheduler(0) == os.SCHED_IDLE, "
        "resource.getrlimit(resource.RLIMIT_DATA)[0])"
    )
    nicer = min(os.nice(0) + (19 if steps is None else steps), 19)
    assert printed(code).split() == [str(nicer), str(behind), str(2**31)]


@pytest.fixture(autouse=True)
def lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests keep all cores busy: as far behind as can be, a study would hardly begin."""
    monkeypatch.setenv(NICE, "0")


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "expected it to happen, got silence"
        time.sleep(0.05)


def workers_of(process: psutil.Process) -> list[psutil.Process]:
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
            "import time",
            "from ucbpe_app.pages.study.pool import Pool",
            "from tests.app.pages.study.test_pool_processes import LONG, until",
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
def test_a_study_runs_behind_others_and_ends_with_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NICE, "3")
    with server_with_a_study("time.sleep(2)") as server:
        workers = workers_of(psutil.Process(server.pid))
        assert workers
        assert {process.nice() for process in workers} == {os.nice(0) + 3}
        # In the session of the server: Linux would give one of its own as much as to all pages.
        assert {os.getsid(process.pid) for process in workers} == {os.getsid(0)}
        server.wait(SECONDS)
        assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []
