"""What the processes of a study use of the machine: idle priority, bounded memory, a core left.

On a machine so busy that they never get on, set `UCBPE_STUDY_NICE` in the environment.
"""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ucbpe_core.errors import InputError
from ucbpe_core.extras import of_system
from ucbpe_core.limits import free
from ucbpe_core.study.engine import pooled
from ucbpe_core.study.workers import cores

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator, Mapping, Sequence

    from ucbpe_core.study import Result, Study, Task

resource: Any = of_system("resource")  # None on Windows, which has no such limits

# How many steps behind other processes a study runs: a variable of the environment, 0 to 19.
NICE = "UCBPE_STUDY_NICE"
# How many processes the server has, each of which may run a study; set by `ucbpe app`.
SERVERS = "UCBPE_SERVERS"
_FURTHEST = 19
_MOST_WORKERS = 8
_LEAST_MEMORY, _MOST_MEMORY = 2**30, 2**31  # bytes of a worker


class Share(NamedTuple):
    """What a study uses of a machine: so many workers, with so many bytes each."""

    workers: int
    memory: int


def run(study: Study, tasks: Sequence[Task], finish: threading.Event) -> Generator[Result | None]:
    """Results as they arrive, as `pooled` yields them, by processes that give way to all others.

    Raises
    ------
    InputError
        For a wrong `UCBPE_STUDY_NICE`.
    WorkersError
        For processes that cannot be started, or are lost twice.
    """
    servers = int(os.environ.get(SERVERS, "1"))
    workers, memory = share(cores(), int(min(free(), 2**50)), servers)
    prepare = partial(give_way, nice(os.environ), memory)
    return pooled(study, tasks, workers, prepare=prepare, finish=finish)


def share(cores: int, memory: int, servers: int = 1) -> Share:
    """All cores but one, at most eight, and together at most half of the free memory.

    With one core alone, that one; a worker has one to two GiB, so that a small memory means fewer
    workers. Where a server has several processes, each has as much less.
    """
    memory //= servers
    cores = (cores - 1) // servers + 1
    workers = min(cores - 1, _MOST_WORKERS, memory // 2 // _LEAST_MEMORY)
    workers = max(workers, 1)
    return Share(workers, max(min(memory // 2 // workers, _MOST_MEMORY), _LEAST_MEMORY))


def nice(environment: Mapping[str, str]) -> int | None:
    """How far behind other processes a study runs, as set in the environment; None: behind all.

    Raises
    ------
    InputError
        For anything but 0 to 19.
    """
    said = environment.get(NICE)
    if said is None:
        return None
    if said.isdecimal() and int(said) <= _FURTHEST:
        return int(said)
    raise InputError(f"{NICE} from 0 to {_FURTHEST}", said, "leave it unset, or fix it")


def give_way(steps: int | None, memory: int) -> None:
    """In a worker: run `steps` behind other processes, or behind all, with at most so many bytes.

    A process of the idle class yields at the moment that another one wakes; one of the lowest
    ordinary priority finishes its slice first, and a step of a visitor's waits for it. A run that
    wants more memory fails with MemoryError, and counts as failed.
    """
    if hasattr(os, "nice"):
        os.nice(_FURTHEST if steps is None else steps)
    if steps is None and hasattr(os, "SCHED_IDLE"):  # only on Linux
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    if resource is not None:
        with contextlib.suppress(ValueError, OSError):  # not every system has this limit
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
