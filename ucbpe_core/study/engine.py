"""Give the runs that a store lacks to a `concurrent.futures.Executor`, and store their results.

The executor is a pool of processes of this machine unless another is given, such as
`client.get_executor()` of Dask.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.study.task import Result, attempt
from ucbpe_core.support.plugins import plugins, use_plugin
from ucbpe_core.support.validation import count

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from ucbpe_core.study.plan import Study, Task
    from ucbpe_core.study.store import Store

    Progress = Callable[[int, int, Result], None]

# Enough for the workers of any cluster; the futures of a million runs would fill the memory.
_MOST_SUBMITTED = 2_000
# BLAS reads these when NumPy is imported.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


class WorkersError(UCBPEError):
    """Workers that cannot be started or reached, are lost, or lack what a study needs."""


@dataclass(frozen=True)
class Outcome:
    """What one call of `execute` did.

    Attributes
    ----------
    done, failed : results that it stored
    remaining : tasks not run, because it was cancelled
    seconds : wall time, including the start of workers

    Examples
    --------
    >>> from ucbpe_core.study import Outcome
    >>> Outcome(done=63, failed=1, remaining=0, seconds=12.5).failed
    1
    """

    done: int
    failed: int
    remaining: int
    seconds: float


def execute(
    study: Study,
    store: Store,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
    cancel: Future[Any] | None = None,
) -> Outcome:
    """Run what is missing in `store`, and store each result as it arrives.

    However this ends early (an exception in `progress`, KeyboardInterrupt, a kill, the loss of
    workers), stored results stay, and the next call runs the rest. The results do not depend on
    where they are computed.

    Local workers are spawned processes: a script that calls this needs the usual
    ``if __name__ == "__main__":``.

    Parameters
    ----------
    study : the store's study
    executor : runs the tasks; its workers must be able to import this package
        Default: a pool of processes on this machine, each with one BLAS thread.
    workers : number of these processes; default one per core; 0 runs everything in this process
    retry_failed : whether to run failed tasks again; a replicate is deterministic, so this only
        helps after a change of code or of machine
    progress : called as progress(done, total, result) after each result is stored
    cancel : once it is done (``cancel.cancel()``, in another thread or in a signal's handler), this
        returns soon, without the results of running tasks

    Raises
    ------
    InputError
        For a study other than the store's, or one that cannot be sent to other processes, or for
        `workers` together with an executor.
    WorkersError
        When workers cannot be started, lack this package, or are lost: local ones for the second
        time.

    Examples
    --------
    >>> from ucbpe_core.study import execute, PolicyPlan, ProblemPlan, Store, Study
    >>> problems = [ProblemPlan("Curve", "multimodal")]
    >>> policies = [PolicyPlan("PE", "GP-UCB-PE")]
    >>> study = Study("Curve", problems, policies, replicates=2, batches=3)
    >>> with Store.create_or_open("curve.db", study) as store:
    ...     outcome = execute(study, store, workers=0)  # in this process
    >>> outcome.done, outcome.failed, outcome.remaining
    (2, 0, 0)
    """
    if study != store.study:
        raise InputError("the study of the store", "another", "pass store.study")
    if executor is not None and workers is not None:
        raise InputError("workers or an executor", "both", "leave one of them out")
    number = cores() if workers is None else count(workers, "workers", minimum=0)
    start, tasks, failed, done = time.perf_counter(), store.missing(retry_failed=retry_failed), 0, 0
    if executor is not None:
        found = results(study, tasks, executor, cancel=cancel)
    elif number and tasks:
        found = pooled(study, tasks, number, cancel=cancel)
    else:
        found = _here(study, tasks, cancel)
    with closing(found):
        for result in found:
            store.add(result)
            done, failed = done + 1, failed + (result.error is not None)
            if progress is not None:
                progress(done, len(tasks), result)
    return Outcome(done - failed, failed, len(tasks) - done, time.perf_counter() - start)


def _here(study: Study, tasks: Iterable[Task], cancel: Future[Any] | None) -> Generator[Result]:
    for task in tasks:
        if cancel is not None and cancel.done():
            return
        yield attempt(study, task)


def pooled(
    study: Study, tasks: Iterable[Task], workers: int, *, cancel: Future[Any] | None = None
) -> Generator[Result]:
    """As `results`, by processes that end with the generator, even in the middle of a run.

    When a worker is killed, a new pool continues, once; the tasks that it was running run again.
    """
    left = dict.fromkeys(tasks)
    for last in (False, True):
        try:
            with process_pool(min(workers, len(left))) as executor:
                for result in results(study, tuple(left), executor, cancel=cancel):
                    del left[result.task]
                    yield result
            return
        except WorkersError as error:
            if last or not isinstance(error.__cause__, BrokenExecutor):
                raise


def results(
    study: Study, tasks: Iterable[Task], executor: Executor, *, cancel: Future[Any] | None = None
) -> Generator[Result]:
    """The result of each task as it arrives; none arrives once `cancel` is done.

    Raises
    ------
    InputError
        For a study that cannot be sent to other processes.
    WorkersError
        When workers are lost, or cannot run a task at all. An error of a run is a result.
    """
    run = partial(_run, plugins(), _pickled(study))
    waiting, running = iter(tasks), set[Future[Result]]()
    # Its `put` may interrupt itself: a signal's handler can call it, through `cancel`.
    arrived = SimpleQueue[Future[Any]]()

    def submit(most: int) -> None:
        for task in islice(waiting, most):
            future = executor.submit(run, task)
            running.add(future)
            future.add_done_callback(arrived.put)

    if cancel is not None:
        cancel.add_done_callback(arrived.put)
    try:
        submit(_MOST_SUBMITTED)
        while running:
            future = arrived.get()
            if future is cancel:
                return
            if future in running:
                running.remove(future)
                yield future.result()
                submit(1)
    except Exception as error:  # of the executor: an error of a run is a result
        raise _lost(error) from error
    finally:
        for future in running:
            future.cancel()


def _lost(error: Exception) -> WorkersError:
    return WorkersError(
        "workers that run the study to its end",
        f"{type(error).__name__}: {error}",
        "check that they have memory, this version of the package and the study's plugins, and "
        'that a script starts them below if __name__ == "__main__":; stored results are kept: run '
        "it again, and it resumes",
    )


def _pickled(study: Study) -> bytes:
    try:
        return pickle.dumps(study)
    except Exception as error:  # whatever an object of the caller's raises
        raise InputError(
            "a study that can be sent to other processes",
            f"{type(error).__name__}: {error}",
            "name its problems and policies, or run it in this process: workers=0",
        ) from error


@lru_cache(maxsize=1)
def _study(pickled: bytes) -> Study:
    study: Study = pickle.loads(pickled)
    return study


def _run(sources: tuple[str, ...], pickled: bytes, task: Task) -> Result:
    """In a worker: run a task, with the plugins that its study may name."""
    for source in sources:
        use_plugin(source)
    return attempt(_study(pickled), task)


def cores() -> int:
    """How many cores this process may use; a container may have a quota."""
    affinity = getattr(os, "sched_getaffinity", None)
    usable = len(affinity(0)) if affinity else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # "max": no quota
        quota, period = map(int, _QUOTA.read_text().split())
        usable = min(usable, math.ceil(quota / period))
    return usable


@contextmanager
def process_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """An executor with this number of new processes, each with one BLAS thread.

    They end with the context, at once, in the middle of what they run; and with this process,
    however it ends.

    Raises
    ------
    WorkersError
        If their pipes cannot be opened.
    """
    with _one_thread_each():
        try:
            executor = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker)
        except OSError as error:
            raise _lost(error) from error
        try:
            yield executor
        finally:
            # As `kill_workers` of Python 3.14.
            for process in list((executor._processes or {}).values()):
                process.kill()
            executor.shutdown(cancel_futures=True)


def _start_worker() -> None:
    # Ctrl-C reaches every process of a terminal: only the process with the results acts on it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:  # a worker always has one
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Set the environment of processes started meanwhile: one BLAS thread each."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
