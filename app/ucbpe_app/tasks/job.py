"""One computation on its way, which can be cancelled."""

from __future__ import annotations

import threading

from ucbpe_core.limits import checkpoint


class Superseded(Exception):  # noqa: N818 - it is news, not an error
    """Raised inside a run that nobody waits for any more."""


class Job:
    """One computation on its way: `share` done (0 to 1), and `stop` to give it up."""

    def __init__(self) -> None:
        self.share = 0.0
        self._stopped = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether nobody waits for it any more."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Give it up: its next `check` raises `Superseded`."""
        self._stopped.set()

    def progress(self, done: int, total: int) -> None:
        """For `simulate(progress=...)`: take note, leave if asked to stop, and let others run."""
        self.share = done / total
        self.check()
        checkpoint()

    def check(self) -> None:
        """Leave if asked to stop."""
        if self._stopped.is_set():
            raise Superseded
