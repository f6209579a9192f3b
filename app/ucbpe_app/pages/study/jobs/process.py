"""The server's end of the pipe to the processes of a study: starts, reads and ends them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

import ucbpe_core
from ucbpe_core.errors import UCBPEError
from ucbpe_core.plugins import plugins

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence

    from ucbpe_core.study import Result, Study, Task

# The folders that the two packages are imported from.
_ROOTS = (str(Path(__file__).parents[4]), str(Path(ucbpe_core.__file__).parents[1]))
_ENGINE = "ucbpe_app.pages.study.jobs.engine"
_POLL_SECONDS = 0.1
_RETRY = "try again; TMPDIR has to name a folder that can be written"
_RESUME = "finished runs are kept: resume to run the rest"


class EngineLostError(UCBPEError):
    """An engine that ended before its study did."""


class EngineProcess:
    """An engine in a separate process group, which ends with the context.

    Not in a separate session: Linux divides the cores among sessions first, and would give a study
    as much as all pages together, whatever its priority.

    Raises
    ------
    EngineLostError
        If it cannot be started.
    """

    def __init__(self) -> None:
        with contextlib.ExitStack() as opened:
            try:
                self._start(opened)
            except OSError as error:
                raise EngineLostError("processes for the study", str(error), _RETRY) from error
            self._opened = opened.pop_all()

    def _start(self, opened: contextlib.ExitStack) -> None:
        self._output = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - as it says
        self._pipe, theirs = map(opened.enter_context, Pipe())
        path = os.pathsep.join(filter(None, [*_ROOTS, os.environ.get("PYTHONPATH")]))
        # -P: not from the folder that the server was started in.
        command = [sys.executable, "-P", "-m", _ENGINE, str(theirs.fileno()), *plugins()]
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            pass_fds=[theirs.fileno()],
            process_group=0,  # so that Ctrl-C in a terminal reaches the server alone
        )
        opened.callback(self._end)
        theirs.close()  # the engine has the only one: if it ends, so does the pipe

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the engine and its workers at once, and wait for the engine."""
        self._opened.close()

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def pid(self) -> int:
        """Of the engine, and of its process group."""
        return self._process.pid

    def run(
        self,
        study: Study,
        tasks: Sequence[Task],
        cancelled: threading.Event,
        interrupt: Callable[[], bool] = lambda: False,
    ) -> Iterator[Result | Literal[True]]:
        """Yield True once the workers begin, then each result, until all are there or `cancelled`.

        Once `interrupt` says so, no further task is begun, and those under way are waited for.

        Raises
        ------
        EngineLostError
            If the engine ends before the study does.
        UCBPEError
            Whatever else ended the study.
        """
        try:
            self._pipe.send((study, tuple(tasks)))
            interrupted = False
            while not cancelled.is_set():
                if not interrupted and interrupt():
                    interrupted = True
                    self._pipe.send(None)
                if not self._pipe.poll(_POLL_SECONDS):
                    continue
                message = self._pipe.recv()
                if message is None:
                    return
                if isinstance(message, UCBPEError):
                    raise message
                yield message
        except (EOFError, OSError) as error:
            expected = "the processes of the study to stay"
            raise EngineLostError(expected, self._last_line(), _RESUME) from error

    def _last_line(self) -> str:
        """The last line that the engine printed: Python's for the error that ended it."""
        self._output.seek(0)
        lines = self._output.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "none, and no reason"
