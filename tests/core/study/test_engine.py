"""Whoever runs a study, and whatever dies meanwhile: the same results."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from pathlib import Path

import psutil
import pytest

from tests.core.study.studies import (
    HERE,
    POLICIES,
    SUGGESTED,
    broken,
    failures,
    partly_broken,
    small,
)
from ucbpe_core import GPUCBPE, InputError, problems
from ucbpe_core.policies import RandomSearch
from ucbpe_core.study import PolicyPlan, ProblemPlan, Result, Store, engine, execute
from ucbpe_core.study.engine import WorkersError, pooled, process_pool, results

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


def blas_threads() -> list[int]:
    """How many threads each BLAS of this process uses."""
    import scipy.linalg  # noqa: F401 - brings the other BLAS
    from threadpoolctl import threadpool_info

    return [int(pool["num_threads"]) for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.mark.slow
def test_workers_have_one_blas_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment says, which is as before afterwards."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    for name in names:
        monkeypatch.setenv(name, "4")
    with process_pool(1) as executor:
        threads = executor.submit(blas_threads).result()
    assert threads
    assert set(threads) == {1}
    assert [os.environ[name] for name in names] == ["4", "4", "4"]


def test_workers_of_its_own(tmp_path: Path, expected: str) -> None:
    """Two: identical results, failures included; and then nothing is left to do."""
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=2)
        assert (outcome.done, outcome.failed, outcome.remaining) == (RUNS - FAILING, FAILING, 0)
        assert store.digest() == expected
        again = execute(STUDY, store, workers=2)
        assert (again.done, again.failed, again.remaining) == (0, 0, 0)
        assert again.seconds < 1  # no worker was started for it


@pytest.mark.parametrize(
    "make",
    [
        lambda: ThreadPoolExecutor(2),
        pytest.param(lambda: ProcessPoolExecutor(2, get_context("spawn")), marks=pytest.mark.slow),
    ],
    ids=["threads", "processes"],
)
def test_an_executor_of_the_callers(
    make: Callable[[], Executor], tmp_path: Path, expected: str
) -> None:
    """It can be used again. Progress counts every result, and each is stored before."""
    seen: list[tuple[int, int]] = []
    with make() as executor, Store.create_or_open(tmp_path / "s.db", STUDY) as store:

        def progress(done: int, total: int, result: Result) -> None:
            seen.append((done, total))
            assert len(store.missing()) == RUNS - done

        execute(STUDY, store, executor=executor, progress=progress)
        assert seen == [(done, RUNS) for done in range(1, RUNS + 1)]
        assert store.digest() == expected
        assert executor.submit(abs, -1).result() == 1


class Counting(ThreadPoolExecutor):
    """One thread, and how many tasks it was given."""

    submitted = 0

    def submit(self, *arguments, **options):  # type: ignore[no-untyped-def]
        self.submitted += 1
        return super().submit(*arguments, **options)


def test_a_large_study_is_not_submitted_at_once() -> None:
    """All of it runs, in its order, and the executor never has all of it."""
    wrong = ProblemPlan("x", f"{HERE}:no_problem")  # an error after no time
    study, most, tasks = small(problems=[wrong], replicates=1000), 0, []
    with Counting(1) as executor:
        for result in results(study, study.tasks(), executor):
            most = max(most, executor.submitted - len(tasks))
            tasks.append(result.task)
    assert tasks == list(study.tasks())
    assert most < len(tasks)


def test_a_worker_killed_half_way(tmp_path: Path, expected: str) -> None:
    """Once, new ones continue, to the same results; no run counts as failed for it."""

    def progress(done: int, total: int, result: Result) -> None:
        if done == RUNS // 3:
            workers_of()[0].kill()

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=2, progress=progress)
        assert (outcome.failed, outcome.remaining) == (FAILING, 0)
        assert store.digest() == expected
    assert workers_of() == []


def workers_of() -> list[psutil.Process]:
    """The live processes that this one has spawned for studies."""
    children = psutil.Process().children(recursive=True)
    return [
        one
        for one in children
        if one.status() != psutil.STATUS_ZOMBIE and "spawn_main" in " ".join(one.cmdline())
    ]


@pytest.mark.slow
def test_a_task_that_kills_its_worker(tmp_path: Path) -> None:
    """An error after the second time; what was stored stays, and the rest can be run elsewhere."""
    study = small(problems=[broken(1, deadly=True)], policies=POLICIES[:1], replicates=3)
    with Store.create_or_open(tmp_path / "s.db", study) as store:
        with pytest.raises(WorkersError, match=r"BrokenProcessPool.*run it again, and it resumes"):
            execute(study, store, workers=1)
        assert [task.replicate for task in store.missing()] == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize(("error", "workers"), [(OSError, 0), (KeyboardInterrupt, 1)])
def test_interrupted(
    error: type[BaseException], workers: int, tmp_path: Path, expected: str
) -> None:
    """Whatever is raised half way: what is stored stays, and the rest follows."""

    def progress(done: int, total: int, result: Result) -> None:
        if done == 10:
            raise error

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        with pytest.raises(error):
            execute(STUDY, store, workers=workers, progress=progress)
        assert len(store.missing()) == RUNS - 10
    assert workers_of() == []
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=0)
        assert outcome.done + outcome.failed == RUNS - 10
        assert store.digest() == expected


def test_cancelled(tmp_path: Path) -> None:
    """By anyone: it ends soon and in order."""
    cancel = Future[None]()

    def progress(done: int, total: int, result: Result) -> None:
        if done == 7:
            cancel.cancel()

    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        outcome = execute(STUDY, store, workers=0, progress=progress, cancel=cancel)
        assert (outcome.done + outcome.failed, outcome.remaining) == (7, RUNS - 7)
        assert len(store.missing()) == RUNS - 7


@pytest.mark.slow
def test_cancelled_while_nothing_comes(tmp_path: Path) -> None:
    """It does not wait for a run that takes long, and leaves no process."""
    study, cancel = small(problems=[broken(9, patience=600.0)]), Future[None]()
    threading.Timer(1.0, cancel.cancel).start()
    start = time.monotonic()
    with Store.create_or_open(tmp_path / "s.db", study) as store:
        outcome = execute(study, store, workers=1, cancel=cancel)
    assert outcome.remaining == len(study.tasks())
    assert time.monotonic() - start < 120
    assert workers_of() == []


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_objects_give_what_their_names_give(workers: int, tmp_path: Path) -> None:
    """The policies that draw do so anew in each replicate."""
    draw, options = problems.generated_gp(3, resolution=8), {"seed": 3, "resolution": 8}
    study = small(
        problems=[ProblemPlan("Draw", draw, hyperparameters=SUGGESTED)],
        policies=[
            PolicyPlan("PE", GPUCBPE(batch_size=3)),
            PolicyPlan("Random", RandomSearch(batch_size=2)),
        ],
    )
    named = small(
        problems=[ProblemPlan("Draw", "generated_gp", options, SUGGESTED)],
        policies=[
            PolicyPlan("PE", "GP-UCB-PE", {"batch_size": 3}),
            PolicyPlan("Random", "Random search", {"batch_size": 2}),
        ],
    )
    found = []
    for number, one in enumerate((study, named)):
        with Store.create_or_open(tmp_path / f"{number}.db", one) as store:
            execute(one, store, workers=workers if one is study else 0)
            found.append([(result.task, result.total.tolist()) for result in store.planned()])
    assert found[0] == found[1]
    assert found[0][4][1] != found[0][5][1]


def test_objects_that_stay_in_one_process(tmp_path: Path) -> None:
    """What cannot be sent to others runs in this one; where that is needed, an error says so."""

    @dataclass(frozen=True)
    class Local(RandomSearch):
        name = "Local"

    study = small(policies=[PolicyPlan("Local", Local(batch_size=2))], replicates=1)
    with Store.create_or_open(tmp_path / "s.db", study) as store:
        with pytest.raises(InputError, match=r"sent to other processes; .*: workers=0"):
            execute(study, store, workers=1)
        assert execute(study, store, workers=0).done == 2


def test_bad_requests(tmp_path: Path) -> None:
    with Store.create_or_open(tmp_path / "s.db", STUDY) as store:
        with pytest.raises(InputError, match="workers of at least 0"):
            execute(STUDY, store, workers=-1)
        with pytest.raises(InputError, match="the study of the store"):
            execute(small(seed=1), store, workers=0)
        with ThreadPoolExecutor(1) as own, pytest.raises(InputError, match="executor; got both"):
            execute(STUDY, store, executor=own, workers=1)


@pytest.mark.parametrize(
    "name",
    ["multiprocessing.connection.Pipe", "multiprocessing.popen_spawn_posix.Popen.__init__"],
    ids=["pipe", "process"],
)
def test_processes_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whatever runs out: an error of ours at once, and what was open is closed."""
    tries = []

    def fail(*_: object, **__: object) -> None:
        tries.append(name)
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(name, fail)
    resource_tracker.ensure_running()  # it stays, and has a pipe
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(WorkersError, match=r"Too many open files.*run it again"):
        list(pooled(small(), small().tasks(), 1))
    assert len(tries) == 1, "another pool would have failed, too"
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_a_killed_process_takes_its_workers_along(tmp_path: Path) -> None:
    """At once, in the middle of a run that would take an hour."""
    code = (
        "import sys, psutil, threading, time\n"
        "from tests.core.study.studies import broken, small\n"
        "from ucbpe_core.study import Store, execute\n"
        "def tell():\n"
        "    while not (children := psutil.Process().children()):\n"
        "        time.sleep(0.05)\n"
        "    time.sleep(1)\n"
        "    print(*(one.pid for one in children), flush=True)\n"
        "study = small(problems=[broken(9, patience=3600.0)])\n"
        "threading.Thread(target=tell, daemon=True).start()\n"
        "with Store.create_or_open(sys.argv[1], study) as store:\n"
        "    execute(study, store, workers=1)\n"
    )
    root = Path(__file__).parents[3]
    with psutil.Popen(
        [sys.executable, "-c", code, str(tmp_path / "s.db")], cwd=root, stdout=-1, text=True
    ) as parent:
        workers = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []


@pytest.mark.parametrize(
    ("quota", "at_most"),
    [("50000 100000", 1), ("150000 100000", 2), ("max 100000", 3), ("", 3)],
)
def test_a_quota_of_a_container_lowers_the_workers_and_never_raises_them(
    quota: str, at_most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "cpu.max"
    file.write_text(quota)
    monkeypatch.setattr(engine, "_QUOTA", file)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(3)), raising=False)
    assert engine.cores() == at_most
    file.write_text("900000 100000")
    assert engine.cores() == 3
