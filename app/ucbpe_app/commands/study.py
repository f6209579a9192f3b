"""``ucbpe study``: run what is missing of a replicated study, with a progress bar."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
from concurrent.futures import Executor, Future
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from ucbpe_app.commands import add_plugin_option, printable, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ucbpe_core.study import Outcome, Result, Store, Study


HELP = "run a replicated study"
DESCRIPTION = (
    "Run what a study's store does not have yet. After an interruption, the same command "
    "continues. Exits with 0, or 1 if runs failed, 2 for input that cannot be run, 130 after "
    "Ctrl-C."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which study, where to, and who runs it."""
    parser.add_argument("--config", required=True, metavar="STUDY.toml", help="what to run")
    parser.add_argument("--out", required=True, metavar="STUDY.db", help="the store of the results")
    add_plugin_option(parser)
    add_engine_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run or resume; return the exit code."""
    # Imported here so that the other subcommands do not wait for SciPy.
    from ucbpe_core.study import load_study

    return run_study(load_study(arguments.config), arguments.out, arguments)


_WORKER_SECONDS = 120  # the first import of NumPy and SciPy from a slow shared disk
_AGAIN = 0.5  # s until an interrupt that was lost is raised again
_LISTED = 10  # failures that are shown; the store has them all
_STOPPING = b"\nStopping. Ctrl-C again: at once.\n"


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """The workers that run what is missing, and the number of replicates."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        help="a Dask scheduler with workers (default: processes on this machine)",
    )
    who.add_argument(
        "--workers",
        type=whole_number(0),
        metavar="N",
        help="processes (default: one per core; 0: no other process, run in this one)",
    )
    parser.add_argument(
        "--replicates", type=whole_number(1), metavar="N", help="instead of the number in the study"
    )
    parser.add_argument(
        "--retry-failed",
        action="store_true",
        help="run failed replicates again, once the code or the machine has changed",
    )


def run_study(study: Study, path: str | Path, arguments: argparse.Namespace) -> int:
    """Run what is missing in the store at `path`; return the exit code.

    The number of replicates is the study's own unless the arguments have another.

    Raises
    ------
    UCBPEError
        For a store of another study, or a scheduler that cannot be reached.
    """
    from ucbpe_core.study import Store

    if arguments.replicates is not None:
        study = replace(study, replicates=arguments.replicates)
    with Store.create_or_open(path, study) as store:
        try:
            with _asked_to_stop() as cancel:
                outcome = _execute(study, store, arguments, cancel)
        except KeyboardInterrupt:
            outcome = None
        if outcome is None or outcome.remaining:
            _say_how_to_resume(store)
            return 130
        return _conclude(store, outcome, path)


@contextmanager
def _asked_to_stop() -> Iterator[Future[None]]:
    """A future that the first Ctrl-C cancels; the second is a KeyboardInterrupt, as usual.

    The first is not an exception, because an exception raised while a library's callback is running
    may be printed and lost there, and the study would go on. For the same reason the second is
    raised again until it has ended the run.
    """
    asked = Future[None]()

    def ask(*_: object) -> None:
        asked.cancel()
        signal.signal(signal.SIGINT, insist)
        os.write(2, _STOPPING)  # printing is not safe in the middle of another print

    timed = hasattr(signal, "setitimer")  # not on Windows

    def insist(*_: object) -> None:
        if timed:
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        raise KeyboardInterrupt

    alarm = signal.signal(signal.SIGALRM, insist) if timed else None
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, alarm)


def _execute(
    study: Study, store: Store, arguments: argparse.Namespace, cancel: Future[None]
) -> Outcome:
    """Run the study with a progress bar that shows the time left."""
    from tqdm import tqdm

    from ucbpe_core.study import execute

    total, failed, address = len(study.tasks()), 0, arguments.scheduler
    missing = len(store.missing(retry_failed=arguments.retry_failed))
    with (
        nullcontext() if address is None else scheduler_executor(address) as executor,
        tqdm(
            total=total,
            initial=total - missing,
            desc=printable(study.name),
            unit="run",
            smoothing=0,  # runs differ in length, but every part of a study has the same mix
            dynamic_ncols=True,
        ) as bar,
    ):

        def progress(done: int, total: int, result: Result) -> None:
            nonlocal failed
            if result.error is not None:
                failed += 1
                bar.set_postfix(failed=failed, refresh=False)
            bar.update()

        return execute(
            study,
            store,
            executor=executor,
            workers=arguments.workers,
            retry_failed=arguments.retry_failed,
            progress=progress,
            cancel=cancel,
        )


@contextmanager
def scheduler_executor(address: str) -> Iterator[Executor]:
    """An executor on the workers of a Dask scheduler.

    Raises
    ------
    InputError
        Without Dask.
    WorkersError
        When there is no scheduler at that address, or it has no workers.
    """
    from ucbpe_core.study.engine import WorkersError
    from ucbpe_core.support.optional import optional

    client_of = optional("distributed", "study").Client
    try:
        client = client_of(address)
    except (OSError, ValueError) as error:
        remedy = "check that it runs and its address"
        raise WorkersError(f"a Dask scheduler at {address}", str(error), remedy) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except TimeoutError:
            got, remedy = f"none in {_WORKER_SECONDS} s", f"start one: dask worker {address}"
            raise WorkersError(f"a worker at {address}", got, remedy) from None
        yield client.get_executor(pure=False)


def _conclude(store: Store, outcome: Outcome, path: str | Path) -> int:
    """Report what was done and what failed, now or earlier; return the exit code."""
    ran = outcome.done + outcome.failed
    tasks = store.study.tasks()
    print(f"{ran} of {len(tasks)} runs in {outcome.seconds:.1f} s; the results are in {path}")
    failures = [result for result in store.planned() if result.error is not None]
    if not failures:
        return 0
    print(f"ucbpe: {len(failures)} of {len(tasks)} runs failed:", file=sys.stderr)
    for result in failures[:_LISTED]:
        print(f"  {_failure(result)}", file=sys.stderr)
    if len(failures) > _LISTED:
        print(f"  and {len(failures) - _LISTED} more", file=sys.stderr)
    print("Run them again with --retry-failed once the cause is fixed.", file=sys.stderr)
    return 1


def _failure(result: Result) -> str:
    reason = (result.error or "").splitlines()
    where = f"{result.policy} on {result.problem}, replicate {result.replicate}"
    return printable(f"{where}: {reason[0] if reason else 'no reason recorded'}")


def _say_how_to_resume(store: Store) -> None:
    total = len(store.study.tasks())
    command = shlex.join(["ucbpe", *sys.argv[1:]])
    print(
        f"\nInterrupted: {total - len(store.missing())} of {total} runs are stored."
        f" To continue:  {command}",
        file=sys.stderr,
    )
