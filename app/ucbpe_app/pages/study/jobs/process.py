"""The near end of the pipe to the process of a study: starts it, hears from it, and ends it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Self

import ucbpe_core
from ucbpe_core.errors import UCBPEError
from ucbpe_core.plugins import plugins
from ucbpe_core.study import Outcome

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from ucbpe_core.study import Result, Study

    Message = Result | Outcome | UCBPEError | int

# The folders that the two packages are imported from.
_ROOTS = (str(Path(__file__).parents[4]), str(Path(ucbpe_core.__file__).parents[1]))
_POLL_SECONDS = 0.1
_PATIENCE_SECONDS = 5.0  # with an engine that was told to stop
_RESUME = "what is done is kept: resume goes on from there"


class EngineLostError(UCBPEError):
    """An engine that ended before its study did."""


class EngineProcess:
    """An engine in a process group of its own, which ends with the context.

    Not in a session of its own: Linux shares the cores out among sessions first, and would give a
    study as much as all pages together whatever its priority.

    Raises
    ------
    EngineLostError
        If it cannot be started.
    """

    def __init__(self) -> None:
        try:
            with contextlib.ExitStack() as opened:
                self._start(opened)
                opened.pop_all()  # from here on the context closes them
        except OSError as error:
            raise EngineLostError("processes for the study", str(error), "try again") from error

    def _start(self, opened: contextlib.ExitStack) -> None:
        """Start the process; what `opened` holds is closed if that fails."""
        self._pipe, theirs = map(opened.enter_context, Pipe())
        self._said = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - as it says
        path = os.pathsep.join(filter(None, [*_ROOTS, os.environ.get("PYTHONPATH")]))
        # -P: the folder that the server was started in has no say.
        command = [
            sys.executable,
            "-P",
            "-m",
            "ucbpe_app.pages.study.jobs.engine",
            str(theirs.fileno()),
        ]
        command += plugins()
        with theirs:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, "PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                pass_fds=[theirs.fileno()],
                process_group=0,  # so that Ctrl-C in a terminal reaches the server alone
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the pipe, which ends the engine and its workers, and wait for that."""
        self._pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._said.close()

    @property
    def pid(self) -> int:
        """Of the engine, and of its process group."""
        return self._process.pid

    def messages(
        self, study: Study, known: Sequence[Result], cancelled: threading.Event
    ) -> Iterator[Message]:
        """Have the study run, and yield what the engine sends until it has ended.

        Once `cancelled` is set the engine is told to stop, and ended if it does not do so soon.

        Raises
        ------
        EngineLostError
            If it ends before the study does.
        """
        deadline = None
        try:
            self._pipe.send((study, tuple(known)))
            while True:
                if cancelled.is_set() and deadline is None:
                    self._pipe.send("stop")
                    deadline = time.monotonic() + _PATIENCE_SECONDS
                if self._pipe.poll(_POLL_SECONDS):
                    message = self._pipe.recv()
                    yield message
                    if isinstance(message, Outcome | UCBPEError):
                        return
                elif deadline is not None and time.monotonic() > deadline:
                    return
        except (EOFError, OSError) as error:
            raise EngineLostError(
                "the processes of the study to stay", self._last_words(), _RESUME
            ) from error

    def _last_words(self) -> str:
        """What the engine printed last, which Python ends with the error that it died of."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "none, and no reason"
