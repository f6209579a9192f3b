"""The memory of sessions that have ended, given back some at a time.

Five seconds after a session ends Panel looks for garbage in all that the server holds: with thirty
visitors 1.5 s, in which nobody is answered, and once for each who leaves. What is frozen is not
looked at. So the collection is let through only when a third as many sessions have ended as are
there: few visitors have their memory back at once, and many wait but seldom.
"""

from __future__ import annotations

import gc

import panel as pn

_SHARE = 3  # sessions that are there, for each that has ended


class GCThrottle:
    """Counts sessions, and freezes or thaws what they hold before Panel collects."""

    def __init__(self) -> None:
        self.alive, self.ended = 0, 0

    def watch(self) -> None:
        """Begin to count the sessions of this process; called before there is any."""
        pn.state.on_session_created(self._begin)
        pn.state.on_session_destroyed(self._end)

    def _begin(self, _: object) -> None:
        self.alive += 1

    def _end(self, _: object) -> None:
        self.alive -= 1
        self.ended += 1
        if _SHARE * self.ended < self.alive:
            gc.freeze()
        else:
            gc.unfreeze()
            self.ended = 0
