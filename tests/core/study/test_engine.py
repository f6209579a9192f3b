"""Whoever runs a study, and whatever dies meanwhile: the same tables."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from tests.core.study.studies import POLICIES, broken, failures, partly_broken, small
from tests.processes import printed
from ucbpe_core import InputError
from ucbpe_core.study import Result, Store, cluster, execute

# Workers take seconds to start, and two cores are soon full: one xdist worker runs all of this.
pytestmark = pytest.mark.xdist_group("dask")

STUDY = partly_broken()
RUNS, FAILING = 36, 3


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the study, run in this process: one replicate fails, the others go on."""
    with Store.create_or_open(tmp_path_factory.mktemp("inline") / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=0)
        assert (outcome.done, outcome.failed, outcome.remaining) == (RUNS - FAILING, FAILING, 0)
        failed = [(one.problem, one.policy, one.replicate) for one in failures(store)]
        assert failed == [("Broken", policy, 2) for policy in ("PE", "Random", "UCB")]
        for one in failures(store):
            assert str(one.error).startswith("RuntimeError: the thermometer broke\n")
        return store.digest()


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Client]:
    """A client of two local workers, made where the environment asks for four BLAS threads."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setenv(name, "4")
        with cluster.connect(None, 2) as client:
            yield client
        assert [os.environ[name] for name in names] == ["4", "4", "4"]  # as before


def blas_threads() -> list[int]:
    """How many threads each BLAS of this process uses."""
    import scipy.linalg  # noqa: F401 - brings the other BLAS
    from threadpoolctl import threadpool_info

    return [int(pool["num_threads"]) for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.mark.slow
def test_workers_have_one_blas_thread(two_workers: Client) -> None:
    """Whatever the environment says."""
    found = two_workers.run(blas_threads)
    assert len(found) == 2
    assert all(threads and set(threads) == {1} for threads in found.values())


@pytest.mark.slow
def test_a_scheduler_elsewhere(two_workers: Client, tmp_path: Path, expected: str) -> None:
    """Given by its address. Progress counts every result, and each is stored before it is told."""
    told: list[tuple[int, int]] = []
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:

        def progress(done: int, total: int, result: Result) -> None:
            told.append((done, total))
            assert len(store.missing()) == RUNS - done

        address = two_workers.scheduler.address
        outcome = execute(STUDY, store, scheduler=address, progress=progress)
        assert (outcome.done, outcome.failed, outcome.remaining) == (RUNS - FAILING, FAILING, 0)
        assert told == [(done, RUNS) for done in range(1, RUNS + 1)]
        assert store.digest() == expected


@pytest.mark.slow
def test_a_worker_killed_half_way(two_workers: Client, tmp_path: Path, expected: str) -> None:
    """What it had is run by others, and the tables are the same."""
    victim = min(two_workers.run(os.getpid).values())

    def progress(done: int, total: int, result: Result) -> None:
        if done == RUNS // 3:
            os.kill(victim, signal.SIGKILL)

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        execute(STUDY, store, scheduler=two_workers.scheduler.address, progress=progress)
        assert store.digest() == expected
    two_workers.wait_for_workers(2, timeout=30)
    assert victim not in two_workers.run(os.getpid).values()


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_workers_of_its_own(workers: int, tmp_path: Path, expected: str) -> None:
    """One or two: identical tables, failures included; and then nothing is left to do."""
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=workers)
        assert (outcome.done, outcome.failed, outcome.remaining) == (RUNS - FAILING, FAILING, 0)
        assert store.digest() == expected
        again = execute(STUDY, store, workers=workers)
        assert (again.done, again.failed, again.remaining) == (0, 0, 0)
        assert again.seconds < 1  # no worker was started for it


@pytest.mark.slow
def test_a_task_that_kills_its_worker(tmp_path: Path) -> None:
    """It alone fails: not those that happened to be queued at the same worker."""
    study = small(
        problems=[broken(1, deadly=True), *small().problems], policies=POLICIES[:1], replicates=3
    )
    with Store.create_or_open(tmp_path / "s.db", study) as store:
        outcome = execute(study, store, workers=2)
        assert (outcome.done, outcome.failed) == (8, 1)
        (failure,) = failures(store)
        assert (failure.problem, failure.replicate) == ("Broken", 1)
        assert failure.error == "WorkerDied: every worker that ran it was killed"


@pytest.mark.slow
def test_a_scheduler_that_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str
) -> None:
    """An error that says so; what is stored stays, and the rest runs elsewhere."""
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1)
    lost = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")

    def progress(done: int, total: int, result: Result) -> None:
        if done == 5:
            lost.close()

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        with pytest.raises(cluster.ClusterError, match="stored results are kept"):
            execute(STUDY, store, scheduler=lost.scheduler_address, progress=progress)
        stored = RUNS - len(store.missing())
        assert stored >= 5
        outcome = execute(STUDY, store, workers=0)
        assert outcome.done + outcome.failed == RUNS - stored > 0
        assert store.digest() == expected


def test_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens at the address, or it is none."""
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1)
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        for address in ("tcp://127.0.0.1:1", "nonsense://x"):
            with pytest.raises(cluster.ClusterError, match=f"a Dask scheduler at {address}"):
                execute(STUDY, store, scheduler=address)


def test_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that has none."""
    monkeypatch.setattr(cluster, "_WORKER_SECONDS", 0.5)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        Store.create_or_open(tmp_path / "s.db", STUDY) as store,
        pytest.raises(cluster.ClusterError, match=r"a worker at .*; got none in 0\.5 s; start"),
    ):
        execute(STUDY, store, scheduler=empty.scheduler_address)


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_interrupted(error: type[BaseException], tmp_path: Path, expected: str) -> None:
    """Whatever is raised half way: what is stored stays, and the rest follows."""

    def progress(done: int, total: int, result: Result) -> None:
        if done == 10:
            raise error

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        with pytest.raises(error):
            execute(STUDY, store, workers=0, progress=progress)
        assert len(store.missing()) == RUNS - 10
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=0)
        assert outcome.done + outcome.failed == RUNS - 10
        assert store.digest() == expected


def test_cancelled(tmp_path: Path) -> None:
    """An event, set by anyone, ends it soon and in order."""
    cancel = threading.Event()

    def progress(done: int, total: int, result: Result) -> None:
        if done == 7:
            cancel.set()

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=0, progress=progress, cancel=cancel)
        assert (outcome.done + outcome.failed, outcome.remaining) == (7, RUNS - 7)
        assert len(store.missing()) == RUNS - 7


@pytest.mark.slow
def test_cancelled_while_nothing_comes(tmp_path: Path) -> None:
    """It does not wait for a run that takes long."""
    study, cancel = small(problems=[broken(9, patience=60.0)]), threading.Event()
    threading.Timer(1.0, cancel.set).start()
    start = time.monotonic()
    with Store.create_or_open(tmp_path / "s.db", study) as store:
        outcome = execute(study, store, workers=1, cancel=cancel)
    assert outcome.remaining == len(study.tasks())
    assert time.monotonic() - start < 15


@pytest.mark.slow
def test_failures_are_run_again_on_request(tmp_path: Path) -> None:
    """Only then: a replicate fails alike until something else has changed."""
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        execute(STUDY, store, workers=0)
        again = execute(STUDY, store, workers=0)
        assert (again.done, again.failed) == (0, 0)
        again = execute(STUDY, store, workers=0, retry_failed=True)
        assert (again.done, again.failed) == (0, FAILING)


def test_bad_requests(tmp_path: Path) -> None:
    """Workers and a scheduler at once, a negative number."""
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        with pytest.raises(InputError, match="workers or a scheduler; got both"):
            execute(STUDY, store, workers=1, scheduler="tcp://127.0.0.1:1")
        with pytest.raises(InputError, match="workers of at least 0"):
            execute(STUDY, store, workers=-1)


def test_without_dask_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dask.system", None)
    wanted = r"dask.system to be installed; .*pip install 'ucbpe\[study\]'"
    with (
        Store.create_or_open(tmp_path / "s.db", small()) as store,
        pytest.raises(InputError, match=wanted),
    ):
        execute(small(), store, workers=1)


def test_a_study_is_planned_and_stored_without_pandas_and_dask() -> None:
    heavy = ("pandas", "dask", "distributed", "scipy.stats")
    code = f"import sys, ucbpe_core.study; print([m for m in {heavy} if m in sys.modules])"
    assert printed(code) == "[]"
