"""Run what a store lacks: in this process, or by any `concurrent.futures.Executor`.

That is a pool of processes of this machine unless another is given, such as `client.get_executor()`
of Dask, or the address of its scheduler.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.evaluation import check_main_guard
from ucbpe_core.plugins import plugins, use_plugin
from ucbpe_core.study.plan import Task
from ucbpe_core.study.pools import WorkersError, cores, process_pool, scheduler_executor
from ucbpe_core.study.run import Result, attempt
from ucbpe_core.validation import count

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator, Iterable

    from ucbpe_core.study.plan import Study
    from ucbpe_core.study.store import Store

    Progress = Callable[[int, int, Result], None]

_POLL_SECONDS = 0.2


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
    executor: Executor | str | None = None,
    workers: int | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Outcome:
    """Run what is missing in `store`, and store each result as it arrives.

    However this ends early (an exception in `progress`, KeyboardInterrupt, a kill, the loss of
    workers), stored results stay, and the next call runs the rest. The results do not depend on
    where they are computed.

    Local workers are spawned processes: a script that calls this needs the usual
    ``if __name__ == "__main__":``.

    Parameters
    ----------
    study : that of the store
    executor : runs the tasks; its workers must be able to import this package. Or the address of a
        Dask scheduler, such as ``tcp://host:8786`` (needs the extra `study`). Default: a pool of
        processes on this machine, each with one BLAS thread
    workers : how many tasks run at a time; default one per core, or per thread of Dask's workers;
        0 runs everything in this process
    retry_failed : whether to run failed tasks again; a replicate is deterministic, so this only
        helps after a change of code or of machine
    progress : called as progress(done, total, result) after each result is stored
    cancel : when set, this returns soon, without the results of running tasks

    Raises
    ------
    InputError
        For a study that is not the store's, or that cannot be sent to other processes, an address
        without Dask, or local workers in a script without ``if __name__ == "__main__":``.
    WorkersError
        When workers cannot be started or reached, lack this package, or are lost: local ones for
        the second time.

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
    if workers is not None:
        count(workers, "workers", minimum=0 if executor is None else 1)
    start, tasks, failed, done = time.perf_counter(), store.missing(retry_failed=retry_failed), 0, 0
    with closing(_completed(study, tasks, executor, workers)) as results:
        for result in results:
            if cancel is not None and cancel.is_set():
                break
            if result is None:
                continue
            store.add(result)
            done, failed = done + 1, failed + (result.error is not None)
            if progress is not None:
                progress(done, len(tasks), result)
    return Outcome(done - failed, failed, len(tasks) - done, time.perf_counter() - start)


def _completed(
    study: Study, tasks: list[Task], executor: Executor | str | None, workers: int | None
) -> Generator[Result | None]:
    """As `results`."""
    if workers == 0 or not tasks:
        yield from (attempt(study, task) for task in tasks)
    elif executor is None:
        check_main_guard()
        yield from pooled(study, tasks, workers or cores())
    elif isinstance(executor, str):
        with scheduler_executor(executor) as (found, threads):
            yield from results(study, tasks, found, lambda: workers or threads())
    else:
        yield from results(study, tasks, executor, lambda: workers or cores())


def pooled(
    study: Study,
    tasks: Iterable[Task],
    workers: int,
    *,
    prepare: Callable[[], None] | None = None,
    finish: threading.Event | None = None,
) -> Generator[Result | None]:
    """As `results`, by processes that end with the generator, even in the middle of a run.

    When a worker is killed, a new pool continues, once; the tasks that it was running run again.

    Parameters
    ----------
    prepare : run by each worker when it starts
    """
    left = dict.fromkeys(tasks)
    for last in (False, True):
        number = min(workers, len(left))
        try:
            with process_pool(number, prepare) as executor:
                width = partial(int, number)
                for result in results(study, tuple(left), executor, width, finish):
                    if result is not None:
                        del left[result.task]
                    yield result
            return
        except WorkersError as error:
            if last or not isinstance(error.__cause__, BrokenExecutor):
                raise


def results(
    study: Study,
    tasks: Iterable[Task],
    executor: Executor,
    width: Callable[[], int],
    finish: threading.Event | None = None,
) -> Generator[Result | None]:
    """The result of each task as it arrives, and None now and then while there is none.

    Parameters
    ----------
    width : how many tasks the executor can run at a time, now
    finish : once it is set, no further task is started; the results of running ones still arrive

    Raises
    ------
    InputError
        For a study that cannot be sent to other processes.
    WorkersError
        When workers are lost, or cannot run a task at all. An error of a run is a result.
    """
    run = partial(_run, plugins(), _pickled(study))
    waiting, begun = dict[tuple[str, int], deque[Task]](), set[tuple[str, int]]()
    for task in tasks:
        waiting.setdefault(_replicate(task), deque()).append(task)
    running = dict[Future[Result], Task]()

    def start(after: Task | None = None) -> bool:
        """Whether there was a task left to start."""
        if not waiting or (finish is not None and finish.is_set()):
            return False
        task = _next(waiting, begun, after)
        running[executor.submit(run, task)] = task
        return True

    try:
        while True:
            while len(running) < width() and start():
                pass
            if not running:
                return
            done, _ = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
            if not done:
                yield None
            for future in done:
                result = future.result()
                # Before anything else: the worker is idle, and has what this replicate needs.
                start(after=running.pop(future))
                yield result
    except Exception as error:  # of the executor: an error of a run is a result
        raise WorkersError.of(error) from error


def _next(
    waiting: dict[tuple[str, int], deque[Task]], begun: set[tuple[str, int]], after: Task | None
) -> Task:
    """The task for a worker that has just run `after`, so that few draw or fit what others have.

    That is another task of the same replicate, for which the worker has the problem and the prior.
    If none is left, it begins a replicate, or helps with the one that has most tasks left.
    """
    key = after and _replicate(after)
    if key not in waiting:
        new = (replicate for replicate in waiting if replicate not in begun)
        key = next(new, None) or max(waiting, key=lambda replicate: len(waiting[replicate]))
    begun.add(key)
    task = waiting[key].popleft()
    if not waiting[key]:
        del waiting[key]
    return task


def _replicate(task: Task) -> tuple[str, int]:
    return task.problem, task.replicate


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
