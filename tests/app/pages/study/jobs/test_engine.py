"""The engine itself: real processes, behind all others, that end with whoever asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.app.pages.study.conftest import results_of, spec_of
from tests.processes import printed
from ucbpe_app.pages.study.jobs.engine import NICE, Share, nice, share
from ucbpe_app.pages.study.jobs.job import Phase
from ucbpe_app.pages.study.jobs.pool import Pool
from ucbpe_app.pages.study.jobs.process import EngineLostError, EngineProcess
from ucbpe_core.errors import InputError
from ucbpe_core.study import Result, Store

ROOT = Path(__file__).parents[5]
SECONDS = 180  # on a machine that is busy with other tests
GIB = 2**30
# Runs of a tenth of a second: enough of them to be in the middle of.
LONG = spec_of(problem="himmelblau", batches=20, batch_size=10, initial=20, replicates=100)
SHORT = replace(LONG, batches=10, replicates=5)


@pytest.mark.parametrize(
    ("cores", "memory", "expected"),
    [
        (1, 16 * GIB, Share(1, 2 * GIB)),
        (2, 16 * GIB, Share(1, 2 * GIB)),
        (4, 16 * GIB, Share(3, 2 * GIB)),
        (4, 8 * GIB, Share(3, 4 * GIB // 3)),
        (64, 256 * GIB, Share(8, 2 * GIB)),
        (8, 4 * GIB, Share(2, GIB)),
        (8, GIB, Share(1, GIB)),
    ],
)
def test_a_study_leaves_a_core_and_half_of_the_memory(
    cores: int, memory: int, expected: Share
) -> None:
    assert share(cores, memory) == expected


def test_processes_of_one_server_share_what_one_would_take() -> None:
    """Each may run a study."""
    assert share(9, 64 * GIB, 4) == Share(2, 2 * GIB)
    assert share(2, 16 * GIB, 2) == Share(1, 2 * GIB)
    assert share(64, 32 * GIB, 8) == Share(2, GIB)


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
        "import os; from ucbpe_app.pages.study.jobs.engine import lower_priority; "
        f"lower_priority({steps}); print(os.nice(0), os.sched_getscheduler(0) == os.SCHED_IDLE)"
    )
    nicer = min(os.nice(0) + (19 if steps is None else steps), 19)
    assert printed(code).split() == [str(nicer), str(behind)]


@pytest.fixture(autouse=True)
def lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests keep all cores busy: as far behind as can be, a study would hardly begin."""
    monkeypatch.setenv(NICE, "0")


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "expected it to happen, got silence"
        time.sleep(0.05)


def group(leader: int) -> list[psutil.Process]:
    """The live processes of a process group."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


class Recorded(EngineProcess):
    """Remembers the last one that was started."""

    last: EngineProcess

    def __init__(self) -> None:
        super().__init__()
        Recorded.last = self


@pytest.mark.slow
def test_a_study_cancelled_and_resumed_is_that_of_one_process() -> None:
    """Bit for bit, whoever computed it."""
    pool, spec = Pool(start=Recorded), replace(LONG, batches=10, replicates=8)
    job = pool.submit(spec.study())
    until(lambda: len(job.results) >= 2)
    pool.cancel(job)
    until(lambda: job.ended)
    assert group(Recorded.last.pid) == []
    assert pool.progress(job).phase is Phase.CANCELLED
    assert 2 <= pool.progress(job).finished < 24

    again = pool.submit(spec.study())
    until(lambda: again.ended)
    assert pool.progress(again).phase is Phase.DONE
    assert set(job.results) <= set(again.results)
    expected = {(one.policy, one.replicate): one for one in results_of(spec.study())}
    assert len(again.results) == len(expected) == 24
    for mine in again.results:
        theirs = expected[mine.policy, mine.replicate]
        for field in fields(Result):
            if field.name != "seconds":
                one, two = getattr(mine, field.name), getattr(theirs, field.name)
                assert np.array_equal(one, two), field.name


@contextmanager
def engine_of_a_parent(*ending: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process with a study that has results, and the engine's process group."""
    code = "\n".join(
        [
            "import time",
            "from ucbpe_app.pages.study.jobs.pool import Pool",
            "from tests.app.pages.study.jobs.test_engine import LONG, Recorded, until",
            "pool = Pool(start=Recorded)",
            "job = pool.submit(LONG.study())",
            "until(lambda: len(job.results) >= 2)",
            "print(Recorded.last.pid, flush=True)",
            *ending,
        ]
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        try:
            assert parent.stdout is not None
            yield parent, int(parent.stdout.readline())
        finally:
            parent.kill()


@pytest.mark.slow
def test_a_study_runs_behind_others_and_ends_with_a_server_that_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NICE, "3")
    with engine_of_a_parent("time.sleep(600)") as (parent, engine):
        running = group(engine)
        assert len(running) >= 2
        assert {process.nice() for process in running} == {os.nice(0) + 3}
        # In the session of the server: Linux would give one of its own as much as to all pages.
        assert {os.getsid(process.pid) for process in running} == {os.getsid(0)}
        assert os.getpgid(parent.pid) != engine
        parent.send_signal(signal.SIGKILL)
        parent.wait(SECONDS)
        until(lambda: group(engine) == [])


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["import os; os._exit(0)", ""], ids=["os._exit", "end"])
def test_a_study_ends_with_a_server_that_ends(ending: str) -> None:
    with engine_of_a_parent(ending) as (parent, engine):
        parent.wait(SECONDS)
        until(lambda: group(engine) == [])


@pytest.mark.slow
def test_an_engine_that_is_killed_is_told_and_its_results_are_kept() -> None:
    pool = Pool(start=Recorded)
    job = pool.submit(LONG.study())
    until(lambda: len(job.results) >= 1)
    os.kill(Recorded.last.pid, signal.SIGKILL)
    until(lambda: job.ended)
    progress = pool.progress(job)
    assert progress.phase is Phase.BROKEN
    assert isinstance(progress.error, EngineLostError)
    assert progress.finished == len(job.results) >= 1
    until(lambda: group(Recorded.last.pid) == [])


def test_what_the_engine_died_of_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    pool = Pool()
    job = pool.submit(LONG.study())
    until(lambda: job.ended)
    error = pool.progress(job).error
    assert isinstance(error, EngineLostError)
    assert error.got == "none, and no reason"
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    job = pool.submit(LONG.study())
    until(lambda: job.ended)
    assert "No such file" in pool.progress(job).error.got


@pytest.mark.slow
def test_a_wrong_environment_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NICE, "low")
    pool = Pool()
    job = pool.submit(LONG.study())
    until(lambda: job.ended)
    assert f"expected {NICE} from 0 to 19; got low" in pool.progress(job).error.got


def workers_of(engine: int) -> list[psutil.Process]:
    return [one for one in group(engine) if "spawn_main" in " ".join(one.cmdline())]


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
@pytest.mark.parametrize("fault", ["killed", "stopped", "engine"])
def test_the_results_are_the_same_whatever_happens_to_the_processes(
    fault: str, expected: str
) -> None:
    """A worker killed or stopped for a while; an engine killed, and the study resumed."""
    pool = Pool(start=Recorded)
    job = pool.submit(SHORT.study())
    until(lambda: len(job.results) >= 2)
    engine = Recorded.last.pid
    if fault == "engine":
        os.kill(engine, signal.SIGKILL)
    else:
        (worker, *_) = workers_of(engine)
        worker.send_signal(signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
        if fault == "stopped":
            threading.Timer(3, worker.send_signal, [signal.SIGCONT]).start()
    until(lambda: job.ended)
    if fault == "engine":
        assert pool.progress(job).phase is Phase.BROKEN
        job = pool.submit(SHORT.study())
        until(lambda: job.ended)
    assert pool.progress(job).phase is Phase.DONE
    assert digest_of(job.results) == expected
