"""Dask: a scheduler and workers started by their own commands, and killed while they work."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from tests.core.study.studies import broken, small
from tests.processes import until_it_listens
from ucbpe_core.study import Result, Store, execute
from ucbpe_core.study.engine import WorkersError

ROOT = Path(__file__).parents[3]
SECONDS = 120
# Runs that take a while: a fault comes in the middle of them.
STUDY = small(problems=[broken(99, patience=0.1), *small().problems])
RUNS = 36


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest when nothing happens."""
    path = tmp_path_factory.mktemp("inline") / "s.db"
    with Store.create_or_open(path, STUDY) as store:
        assert execute(STUDY, store, workers=0).failed == 0
        return store.digest()


class Dask:
    """A scheduler and workers, each a command of its own."""

    def __init__(self, log: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
        self.log, self.processes = log, list[subprocess.Popen[bytes]]()
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker(), self.start_worker()]

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        port = self.address.rpartition(":")[2]
        options = ("--host", "127.0.0.1", "--port", port, "--no-dashboard")
        process = self.start("scheduler", *options)
        until_it_listens(process, int(port), SECONDS, self.log)
        return process

    def start_worker(self) -> subprocess.Popen[bytes]:
        """One without a nanny: nobody takes its place."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        return self.start("worker", self.address, *options)

    def start(self, command: str, *options: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{command}", *options],
                cwd=ROOT,
                # A worker that says nothing for so long is given up: five minutes unless set.
                env={
                    **os.environ,
                    "PYTHONPATH": str(ROOT),
                    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s",
                },
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    dask = Dask(tmp_path / "log.txt")
    yield dask
    for process in dask.processes:
        process.kill()
        process.wait()


def at(events: dict[int, Callable[[], object]]) -> Callable[[int, int, Result], None]:
    """A progress that does something when so many results are stored."""

    def progress(done: int, total: int, result: Result) -> None:
        if done in events:
            events[done]()

    return progress


def finishes(store: Store, expected: str, address: str, **options: Any) -> None:
    with Client(address) as client:
        outcome = execute(store.study, store, executor=client.get_executor(), **options)
    assert (outcome.failed, outcome.remaining) == (0, 0)
    assert store.digest() == expected


@pytest.mark.slow
def test_workers_are_killed_and_others_join(dask: Dask, tmp_path: Path, expected: str) -> None:
    """In the end even the last one of the first: for a while there is none at all."""

    def later() -> None:
        dask.workers[1].kill()
        threading.Timer(2.0, dask.start_worker).start()

    events = {4: dask.workers[0].kill, 12: later}
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        finishes(store, expected, dask.address, progress=at(events))


@pytest.mark.slow
def test_the_scheduler_is_killed(dask: Dask, tmp_path: Path, expected: str) -> None:
    """It is said within a minute; with another one at its address the study goes on."""
    lost = list[float]()

    def kill() -> None:
        dask.scheduler.kill()
        lost.append(time.monotonic())

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        with pytest.raises(WorkersError, match="stored results are kept"):
            finishes(store, expected, dask.address, progress=at({7: kill}))
        assert time.monotonic() - lost[0] < 60
        assert 7 <= RUNS - len(store.missing()) < RUNS
    dask.scheduler.wait()
    dask.start_scheduler()
    dask.start_worker()
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        finishes(store, expected, dask.address)
