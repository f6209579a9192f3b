"""Run what a store lacks: on Dask workers, local or behind a scheduler, or in this process."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.spawning import check_main_guard
from ucbpe_core.study.run import Result, attempt
from ucbpe_core.validation import count

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator

    from ucbpe_core.study.plan import Study, Task
    from ucbpe_core.study.store import Store

    Progress = Callable[[int, int, Result], None]


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
    scheduler: str | None = None,
    workers: int | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Outcome:
    """Run what is missing in `store`, and store each result as it arrives.

    However this ends early (an exception in `progress`, KeyboardInterrupt, a kill, the loss of the
    scheduler), stored results stay, and the next call runs the rest. The results do not depend on
    where they are computed. A worker that dies is replaced and its task run again; a task that
    kills every worker it is given counts as failed.

    Local workers are spawned processes: a script that calls this needs the usual
    ``if __name__ == "__main__":``.

    Parameters
    ----------
    study : that of the store
    scheduler : address of a Dask scheduler, such as ``tcp://host:8786``, whose workers can import
        this package; default: new workers on this machine
    workers : number of local ones, each with one thread and one BLAS thread; default one per core;
        0 runs everything in this process, without Dask
    retry_failed : whether to run failed tasks again; a replicate is deterministic, so this only
        helps after a change of code or of machine
    progress : called as progress(done, total, result) after each result is stored
    cancel : when set, this returns soon, without the results of running tasks

    Raises
    ------
    InputError
        For a study that is not the store's, workers together with a scheduler, or local workers in
        a script without ``if __name__ == "__main__":``.
    ClusterError
        When the scheduler cannot be reached, is lost, or has workers that lack this package.

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
    if workers is not None and scheduler is not None:
        raise InputError("workers or a scheduler", "both", "the scheduler has its own workers")
    if workers is not None:
        count(workers, "workers", minimum=0)
    if workers != 0 and scheduler is None:
        check_main_guard()
    start, tasks, failed, done = time.perf_counter(), store.missing(retry_failed=retry_failed), 0, 0
    with closing(_results(study, tasks, scheduler, workers)) as results:
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


def _results(
    study: Study, tasks: list[Task], scheduler: str | None, workers: int | None
) -> Generator[Result | None]:
    """Results as they arrive, and None now and then while there is none."""
    if not tasks:
        return
    if workers == 0:
        for task in tasks:
            yield attempt(study, task)
        return
    # Imported here so that the rest of this package works without Dask.
    cores: int = optional("dask.system", "study").CPU_COUNT
    from ucbpe_core.study import cluster

    workers = min(workers or cores, len(tasks))
    with cluster.connect(scheduler, workers) as client:
        yield from cluster.results(client, study, tasks)
