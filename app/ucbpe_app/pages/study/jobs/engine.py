"""A study in processes of its own: ``python -m ucbpe_app.pages.study.jobs.engine FD PLUGIN ..``.

FD is one end of a pipe. It receives a study and what is known of it, and sends the number of
workers, each `Result` as it comes, and an `Outcome`, or the `UCBPEError` that ended it. Anything
that it receives later means: stop. When the other end of the pipe is closed, in whatever way its
process ended, this process and its workers are gone at once.

All of them run only when nobody else wants the core, with bounded memory, and leave a core to
others. Where a machine is so busy that they never get on, `UCBPE_STUDY_NICE` in the environment
lifts them.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NamedTuple

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.plugins import use_plugin
from ucbpe_core.study import Store, execute

if TYPE_CHECKING:
    from collections.abc import Mapping

# How many steps behind other processes a study runs: a variable of the environment, 0 to 19.
NICE = "UCBPE_STUDY_NICE"
_FURTHEST = 19
_MOST_WORKERS = 8
_LEAST_MEMORY, _MOST_MEMORY = 2**30, 2**31  # bytes of a worker
# A path that SQLite takes for a database in memory: the results are with whoever asked for them.
_IN_MEMORY = ":memory:"


class Share(NamedTuple):
    """What a study takes of a machine: so many workers with so many bytes each."""

    workers: int
    memory: int


def share(cores: int, memory: int) -> Share:
    """All cores but one, at most eight, and together at most half of the memory.

    With one core alone, that one; a worker has one to two GiB, so that a small memory means fewer
    workers.
    """
    workers = min(cores - 1, _MOST_WORKERS, memory // 2 // _LEAST_MEMORY)
    workers = max(workers, 1)
    return Share(workers, max(min(memory // 2 // workers, _MOST_MEMORY), _LEAST_MEMORY))


def nice(environment: Mapping[str, str]) -> int | None:
    """How far behind other processes a study runs, as the environment says; None: behind them all.

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


def give_way(steps: int | None) -> None:
    """Run `steps` behind other processes, or behind them all; workers inherit it.

    A process of the idle class yields at the moment that another one wakes; one of the lowest
    ordinary priority finishes its slice first, and a step of a visitor's waits for it.
    """
    os.nice(_FURTHEST if steps is None else steps)
    if steps is None and hasattr(os, "SCHED_IDLE"):  # Linux has it
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main(descriptor: int, *plugins: str) -> None:
    """Do what the other end of the pipe asks for, once, with these plugins."""
    give_way(nice(os.environ))
    connection, cancel = Connection(descriptor), threading.Event()
    for plugin in plugins:
        use_plugin(plugin)
    study, known = connection.recv()
    threading.Thread(target=_listen, args=(connection, cancel), daemon=True).start()
    # Only now: Dask takes a second to import.
    from dask.system import CPU_COUNT
    from distributed.system import MEMORY_LIMIT

    workers, memory = share(CPU_COUNT, MEMORY_LIMIT)
    _bound_memory(memory)
    connection.send(workers)
    with Store.create_or_open(_IN_MEMORY, study) as store:
        for result in known:
            store.add(result)
        try:
            connection.send(
                execute(
                    study,
                    store,
                    workers=workers,
                    progress=lambda done, total, result: connection.send(result),
                    cancel=cancel,
                )
            )
        except UCBPEError as error:
            connection.send(error)


def _bound_memory(limit: int) -> None:
    """A run that wants more fails with MemoryError, and counts as failed. Inherited by workers."""
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _listen(connection: Connection, cancel: threading.Event) -> None:
    try:
        while True:
            connection.recv()
            cancel.set()
    except (EOFError, OSError):
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
