"""A study in separate processes: ``python -m ucbpe_app.pages.study.jobs.engine FD PLUGIN ..``.

FD is one end of a pipe. It receives a study and the tasks to run, and sends True when the workers
begin, each `Result` as it comes, and None at the end, or the `UCBPEError` that ended it. None from
the other end has it begin no further task, and end once those under way are done. When the other
end is closed, in whatever way its process ended, this process and its workers end at once.

They run at idle priority with bounded memory, and leave a core to others. On a machine so busy
that they never get on, set `UCBPE_STUDY_NICE` in the environment.

Why not a `distributed.LocalCluster` inside the server: its scheduler, nannies and client would run
Python code at the server's priority and under its interpreter lock, beside the pages; its workers
would import the server's `__main__` (all of Panel) before they can lower their priority; and Dask
has no way to interrupt a task that runs, whereas a process group is ended by one signal.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NamedTuple

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.extras import of_system
from ucbpe_core.plugins import use_plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def share(cores: int, memory: int, servers: int = 1) -> Share:
    """All cores but one, at most eight, and together at most half of the memory.

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


def lower_priority(steps: int | None) -> None:
    """Run `steps` behind other processes, or behind them all; workers inherit it.

    A process of the idle class yields at the moment that another one wakes; one of the lowest
    ordinary priority finishes its slice first, and a step of a visitor's waits for it.
    """
    if hasattr(os, "nice"):
        os.nice(_FURTHEST if steps is None else steps)
    if steps is None and hasattr(os, "SCHED_IDLE"):  # only on Linux
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main(descriptor: int, *plugins: str) -> None:
    """Run the tasks that the other end of the pipe sends, once, with these plugins."""
    lower_priority(nice(os.environ))
    for plugin in plugins:
        use_plugin(plugin)
    connection = Connection(descriptor)
    study, tasks = connection.recv()
    finish = threading.Event()
    threading.Thread(target=_end_with, args=(connection, finish), daemon=True).start()
    # Only now: Dask takes a second to import.
    from dask.system import CPU_COUNT
    from distributed.system import MEMORY_LIMIT

    from ucbpe_core.study import cluster

    workers, memory = share(CPU_COUNT, MEMORY_LIMIT, int(os.environ.get(SERVERS, "1")))
    _bound_memory(memory)
    try:
        with cluster.connect(None, min(workers, len(tasks))) as client:
            connection.send(True)
            for result in cluster.results(client, study, tasks, finish):
                if result is not None:
                    connection.send(result)
    except UCBPEError as error:
        connection.send(error)
    else:
        connection.send(None)


def _bound_memory(limit: int) -> None:
    """A run that wants more fails with MemoryError, and counts as failed. Inherited by workers."""
    if resource is None:
        return
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _end_with(connection: Connection, finish: threading.Event) -> None:
    """End this process group as soon as the other end of the pipe is closed; None is `finish`."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.recv()
            finish.set()
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
