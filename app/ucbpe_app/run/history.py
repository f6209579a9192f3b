"""Settings of the runs that were on screen, to go back and forth in. No widgets."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ucbpe_app.run.changes import differences

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.run.settings import RunSpec

_LIMIT = 100
# Changes of the same settings that follow each other sooner are one: a slider that is dragged.
_PAUSE = 1.0


class History:
    """Runs in the order in which they were shown, and the place among them.

    Parameters
    ----------
    first : settings of the run on screen
    limit : how many are kept; the oldest go first
    clock : seconds from any start; for tests
    """

    def __init__(
        self, first: RunSpec, limit: int = _LIMIT, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._runs, self._at = [first], 0
        self._limit, self._clock = limit, clock
        self._last: tuple[float, tuple[str, ...]] = (-float("inf"), ())

    @property
    def present(self) -> RunSpec:
        """The settings on screen, or on their way there."""
        return self._runs[self._at]

    @property
    def earlier(self) -> RunSpec | None:
        """What `undo` goes to."""
        return self._runs[self._at - 1] if self._at else None

    @property
    def later(self) -> RunSpec | None:
        """What `redo` goes to."""
        return self._runs[self._at + 1] if self._at + 1 < len(self._runs) else None

    def record(self, spec: RunSpec) -> None:
        """Note the settings of a run that is now on screen; what was undone before is forgotten."""
        if spec == self.present:
            return
        names, now = differences(self.present, spec), self._clock()
        dragged = names == self._last[1] and now - self._last[0] < _PAUSE
        self._last = (now, names)
        del self._runs[self._at + 1 :]
        if dragged:
            self._runs[self._at] = spec
        else:
            self._runs.append(spec)
        self._runs = self._runs[-self._limit :]
        self._at = len(self._runs) - 1

    def undo(self) -> RunSpec | None:
        """Go one step back; return the settings there, None at the first."""
        return self._go(self._at - 1)

    def redo(self) -> RunSpec | None:
        """Go one step forth; return the settings there, None at the last."""
        return self._go(self._at + 1)

    def settle(self, spec: RunSpec) -> None:
        """Go back to the run on screen, because the requested one could not be made."""
        self._at = max(i for i, run in enumerate(self._runs) if run == spec or i == 0)

    def _go(self, at: int) -> RunSpec | None:
        if not 0 <= at < len(self._runs):
            return None
        self._at, self._last = at, (-float("inf"), ())
        return self.present
