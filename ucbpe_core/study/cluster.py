"""Tasks on Dask workers: those of an existing scheduler, or local ones started for the study."""

from __future__ import annotations

import logging
import os
import queue
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING
from uuid import uuid4

import dask
from distributed import Client, Future, LocalCluster, Worker, WorkerPlugin
from distributed.client import ClosedClientError
from distributed.scheduler import KilledWorker

from ucbpe_core import plugins
from ucbpe_core.errors import UCBPEError
from ucbpe_core.study.plan import Study, Task
from ucbpe_core.study.run import Result, attempt, attempt_prior

if TYPE_CHECKING:
    import threading

    from ucbpe_core.gp import GaussianProcess

_POLL_SECONDS = 0.2
_CONNECT_SECONDS = 10
_WORKER_SECONDS = 120  # the first import of NumPy and SciPy from a slow shared disk
_RESUME = "stored results are kept: run the study again to continue"
# Dask sets these before a worker starts, but the caller's environment takes precedence.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


class ClusterError(UCBPEError):
    """Workers that cannot be reached, are lost, or lack what a study needs."""


@contextmanager
def connect(scheduler: str | None, workers: int) -> Iterator[Client]:
    """A client of the scheduler at that address, or of this many local workers that end with it."""
    if scheduler is None:
        with ExitStack() as opened:
            client = _local_client(workers, opened)
            opened.enter_context(_plugins(client))
            yield client
        return
    try:
        client = Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"a Dask scheduler at {scheduler}", str(error), "check that it runs and its address"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except TimeoutError:
            raise ClusterError(
                f"a worker at {scheduler}",
                f"none in {_WORKER_SECONDS} s",
                f"start one: dask worker {scheduler}",
            ) from None
        with _plugins(client):
            yield client


def _local_client(workers: int, opened: ExitStack) -> Client:
    """A client of new workers on this machine, which end with `opened`."""
    try:
        cluster = opened.enter_context(_local_cluster(workers))
        client = opened.enter_context(Client(cluster, set_as_default=False))
        client.register_plugin(IgnoreSigint())
    except (OSError, RuntimeError) as error:  # no more processes, descriptors or memory
        remedy = f"use fewer workers, or none (0); {_RESUME}"
        raise ClusterError(f"{workers} workers on this machine", str(error), remedy) from error
    return client


@contextmanager
def _plugins(client: Client) -> Iterator[None]:
    """Have all workers load the plugins of this process, including those that join later."""
    if not plugins.plugins():
        yield
        return
    plugin = _StudyPlugins(plugins.plugins())
    with _errors_explained():
        client.register_plugin(plugin)
    try:
        yield
    finally:
        with suppress(Exception):  # of a scheduler that is gone
            client.unregister_worker_plugin(plugin.name)


class _StudyPlugins(WorkerPlugin):  # type: ignore[misc]
    """Loads what studies may name, before a worker runs any task."""

    def __init__(self, sources: tuple[str, ...]) -> None:
        self.name = f"study-plugins-{uuid4()}"  # others may run studies on the same workers
        self.sources = sources

    def setup(self, worker: Worker) -> None:
        for source in self.sources:
            plugins.use_plugin(source)


class IgnoreSigint(WorkerPlugin):  # type: ignore[misc]
    """Ctrl-C reaches every process of a terminal: only the client should act on it."""

    def setup(self, worker: Worker) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _local_cluster(workers: int) -> Iterator[LocalCluster]:
    settings = {
        "distributed.scheduler.allowed-failures": 1,
        # Instead of Dask's own, which also makes malloc return memory at once: a fifth of the time
        # of a run would go into allocating it again.
        "distributed.nanny.pre-spawn-environ": _ONE_THREAD,
    }
    with (
        _one_thread_each(),
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # any free port, and no dashboard behind it
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,  # the results report dead workers
            memory_limit=0,  # a worker that Dask pauses for its memory never resumes
        ) as cluster,
    ):
        yield cluster


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """The environment of new workers: Dask also sets it in this process when it starts one."""
    usual = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        yield
    finally:
        for name, value in usual.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def results(
    client: Client, study: Study, tasks: Iterable[Task], finish: threading.Event | None = None
) -> Generator[Result | None]:
    """The result of each task as it arrives, and None now and then while there is none.

    When a worker dies, Dask suspects every task that was queued there. A task suspected too often
    is tried once more alone, and fails only if that kills workers too. Once `finish` is set, no
    further task is started; the results of running ones still arrive.
    """
    suspects: list[Task] = []
    yield from _stream(client, study, tasks, suspects, finish)
    for task in suspects:
        confirmed: list[Task] = []
        yield from _stream(client, study, [task], confirmed)
        if confirmed:
            yield Result(*task, error="WorkerDied: every worker that ran it was killed")


def _stream(
    client: Client,
    study: Study,
    tasks: Iterable[Task],
    killed: list[Task],
    finish: threading.Event | None = None,
) -> Generator[Result | None]:
    """As `results`; suspected tasks are appended to `killed`."""
    waiting, flying = deque(tasks), dict[Future, Task]()
    finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
    # The prior of a replicate is fitted by one worker and passed on to all tasks that need it: they
    # are consecutive, and keep a reference to it.
    latest, prior = ("", -1), None
    while waiting or flying:
        if finish is not None and finish.is_set():
            waiting.clear()
        with _errors_explained():
            # Two for each thread: no worker waits for this process, and little is lost if it ends.
            while waiting and len(flying) < max(2, 2 * sum(client.nthreads().values())):
                task = waiting.popleft()
                if latest != (task.problem, task.replicate):
                    latest = (task.problem, task.replicate)
                    prior = client.submit(attempt_prior, study, *latest, pure=False)
                future = client.submit(_attempt, study, *task, prior, pure=False)
                flying[future] = task
                future.add_done_callback(finished.put)
        try:
            future = finished.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            yield None
            continue
        task = flying.pop(future)
        try:
            with _errors_explained():
                result: Result = future.result()
        except KilledWorker:
            killed.append(task)
        else:
            yield result


@contextmanager
def _errors_explained() -> Iterator[None]:
    """Errors of Dask as `ClusterError`; those of a replicate arrive as results."""
    try:
        yield
    except KilledWorker:
        raise
    except (CancelledError, ClosedClientError, OSError) as error:
        raise ClusterError(
            "the scheduler to stay connected", str(error) or "none", _RESUME
        ) from error
    except Exception as error:
        # Only errors that prevented a task from running at all arrive here.
        raise ClusterError(
            "workers that run this package",
            f"{type(error).__name__}: {error}",
            f"install this version and all plugins of the study there; {_RESUME}",
        ) from error


def _attempt(
    study: Study, problem: str, policy: str, replicate: int, gp: GaussianProcess | str
) -> Result:
    return attempt(study, Task(problem, policy, replicate), gp)
