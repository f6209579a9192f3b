"""The real processes of a study: behind all others, and ended with whoever asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.app.pages.study.conftest import results_of, spec_of
from tests.processes import printed
from ucbpe_app.pages.study.job import Phase
from ucbpe_app.pages.study.pool import NICE, Pool, Share, nice, share
from ucbpe_core.errors import InputError
from ucbpe_core.study import Result, Store

ROOT = Path(__file__).parents[4]
SECONDS = 180  # on a machine that is busy with other tests
GIB = 2**30
# Runs of a tenth of a second: enough of them to be in the middle of.
LONG = spec_of(problem="himmelblau", batches=20, batch_size=10, initial=20, replicates=100)
SHORT = replace(LONG, batches=10, replicates=5)


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


OWN = psutil.Process()


@pytest.fixture(scope="module")
def expected() -> str:
    """The digest of `SHORT` when nothing happens."""
    return digest_of(results_of(SHORT.study()))


def digest_of(results: Iterable[Result]) -> str:
    """That of a store with these results of `SHORT`."""
    with Store.create_or_open(":memory:", SHORT.study()) as store:
        for result in results:
            store.add(result)
        return store.digest()


@pytest.mark.slow
def test_a_study_cancelled_and_resumed_is_that_of_one_process(expected: str) -> None:
    """Bit for bit, whoever computed it; its processes end when it is cancelled."""
    pool = Pool()
    job = pool.submit(SHORT.study())
    until(lambda: len(job.results) >= 2)
    pool.cancel(job)
    until(lambda: job.phase.ended)
    assert workers_of(OWN) == []
    assert pool.progress(job).phase is Phase.CANCELLED
    assert 2 <= pool.progress(job).finished < 15

    again = pool.submit(SHORT.study())
    until(lambda: again.phase.ended)
    assert pool.progress(again).phase is Phase.DONE
    assert set(job.results) <= set(again.results)
    assert digest_of(again.results) == expected


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
def test_a_study_runs_behind_others_and_ends_with_a_server_that_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NICE, "3")
    with server_with_a_study("time.sleep(600)") as server:
        workers = workers_of(psutil.Process(server.pid))
        assert workers
        assert {process.nice() for process in workers} == {os.nice(0) + 3}
        # In the session of the server: Linux would give one of its own as much as to all pages.
        assert {os.getsid(process.pid) for process in workers} == {os.getsid(0)}
        server.send_signal(signal.SIGKILL)
        server.wait(SECONDS)
        assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["import os; os._exit(0)", ""], ids=["os._exit", "end"])
def test_a_study_ends_with_a_server_that_ends(ending: str) -> None:
    with server_with_a_study("time.sleep(2)", ending) as server:
        workers = workers_of(psutil.Process(server.pid))
        server.wait(SECONDS)
        assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []
