"""``ucbpe app``, whose steps of an experiment wait as long as somebody wants.

A program to run in place of `ucbpe_app.cli`, see `conftest.running`. Each step adds a file to the
folder that the environment names, and waits there while that has a file ``hold``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

FOLDER = "UCBPE_TEST_HELD"
PROGRAM = ("tests.browser.held", "app")
_HOLD, _BEGUN = "hold", "begun-*"
_SECONDS = 60.0


class Steps:
    """The steps of the experiments on such a server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {FOLDER: str(folder)}
        self._before = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no step end inside the block."""
        self._before = self._begun()
        hold = self.folder / _HOLD
        hold.touch()
        try:
            yield
        finally:
            hold.unlink()

    def wait(self) -> None:
        """Inside that block: wait until a step has begun."""
        end = time.monotonic() + _SECONDS
        while self._begun() == self._before:
            assert time.monotonic() < end, "expected a step, got none"
            time.sleep(0.01)

    def _begun(self) -> int:
        return len(list(self.folder.glob(_BEGUN)))


def _hold_steps(folder: Path) -> None:
    from ucbpe_app.problem import experiment

    draw = experiment.picture

    def held(one: experiment.Experiment) -> experiment.ExperimentFrame:
        (folder / _BEGUN.replace("*", uuid4().hex)).touch()
        while (folder / _HOLD).exists():
            time.sleep(0.01)
        return draw(one)

    experiment.picture = held


if __name__ == "__main__":
    from ucbpe_app.cli import main

    _hold_steps(Path(os.environ[FOLDER]))
    sys.exit(main())
