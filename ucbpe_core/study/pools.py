"""Where tasks run: new processes of this machine, or the workers of a Dask scheduler."""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ucbpe_core.errors import UCBPEError
from ucbpe_core.extras import optional

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

_CONNECT_SECONDS = 10
_WORKER_SECONDS = 120  # the first import of NumPy and SciPy from a slow shared disk
# BLAS reads these when NumPy is imported.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


class WorkersError(UCBPEError):
    """Workers that cannot be started or reached, are lost, or lack what a study needs."""

    @classmethod
    def of(cls, error: Exception) -> Self:
        """The error for an executor that lost its workers, or cannot run a task at all."""
        return cls(
            "workers that run the study to its end",
            f"{type(error).__name__}: {error}",
            "check that they have memory, this version of the package and the study's plugins; "
            "stored results are kept: run it again, and it resumes",
        )


def cores() -> int:
    """How many cores this process may use; a container may have a quota."""
    affinity = getattr(os, "sched_getaffinity", None)
    usable = len(affinity(0)) if affinity else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # "max": no quota
        quota, period = map(int, _QUOTA.read_text().split())
        usable = min(usable, math.ceil(quota / period))
    return usable


@contextmanager
def process_pool(
    workers: int, prepare: Callable[[], None] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """An executor with this number of new processes, which end with this one, however it ends.

    Each has one BLAS thread, and `prepare` is what it calls first. An exception inside ends them at
    once, in the middle of what they run.

    Raises
    ------
    WorkersError
        If they cannot be started.
    """
    with _one_thread_each():
        try:
            # Workers keep the reading end: when the other is closed, they end.
            reading, writing = Pipe(duplex=False)
        except OSError as error:  # no more descriptors
            raise WorkersError.of(error) from error
        with reading, writing:
            executor = ProcessPoolExecutor(
                workers, get_context("spawn"), _start_worker, (reading, prepare)
            )
            try:
                yield executor
            except BaseException:
                writing.close()
                raise
            finally:
                executor.shutdown(cancel_futures=True)


def _start_worker(alive: Connection, prepare: Callable[[], None] | None) -> None:
    # Ctrl-C reaches every process of a terminal: only the process with the results acts on it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()
    if prepare is not None:
        prepare()


def _end_with(alive: Connection) -> None:
    with suppress(EOFError, OSError):
        alive.recv()
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


@contextmanager
def scheduler_executor(address: str) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """An executor on the workers of a Dask scheduler, and how many threads these have now.

    Raises
    ------
    InputError
        Without Dask.
    WorkersError
        When there is no scheduler at that address, or it has no workers.
    """
    client_of = optional("distributed", "study").Client
    client, got = None, ""
    try:
        client = client_of(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        got = str(error)
    if client is None:
        _collect_clients()
        remedy = "check that it runs and its address"
        raise WorkersError(f"a Dask scheduler at {address}", got, remedy)
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except TimeoutError:
            got = f"none in {_WORKER_SECONDS} s"
            remedy = f"start one: dask worker {address}"
            raise WorkersError(f"a worker at {address}", got, remedy) from None
        executor = client.get_executor(pure=False)
        try:
            yield executor, lambda: max(1, sum(client.nthreads().values()))
        finally:
            with suppress(Exception):  # the scheduler may have ended
                executor.shutdown(wait=False)


def _collect_clients() -> None:
    """Work around a fault of distributed (2025.4 to 2026.8) while no client starts.

    For its maintainers: `Client("nonsense://x")` raises ValueError in `_start`, with the status
    "connecting", so that `Client.__del__` closes the client later, when it is collected. If that
    happens in the new thread of another client's loop, `LoopRunner.stop` waits there for the lock,
    which `LoopRunner.start` of the other client holds while it waits for that thread:
    `start` fails after ten seconds with AssertionError. With `gc.disable()`, then the client above,
    then `gc.collect()` in `get_loop_factory`, the next `LocalCluster()` shows it each time.
    """
    gc.collect()
