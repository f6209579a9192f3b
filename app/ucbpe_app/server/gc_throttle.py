"""Garbage collection that does not stop a server of many sessions.

A full collection looks at all objects that the process holds. With 300 sessions that takes seconds,
in which nobody is answered. Objects that are frozen are not looked at, so:

- what survives a full collection is frozen: the next one looks at what is new since;
- Panel collects five seconds after each session ends. Objects are thawed for that only when a third
  as many sessions have ended as there are: with few visitors memory is freed at once, and with many
  it is freed less often.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Literal

import panel as pn

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHARE = 3  # sessions that are there, for each that has ended
_FULL = 2  # the generation of a full collection


class GCThrottle:
    """Counts sessions, and freezes or thaws what they hold."""

    def __init__(self) -> None:
        self.alive, self.ended = 0, 0

    def watch(self) -> None:
        """Begin; called before this process has a session."""
        pn.state.on_session_created(self._begin)
        pn.state.on_session_destroyed(self._end)
        gc.callbacks.append(freeze_survivors)

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


def freeze_survivors(phase: Literal["start", "stop"], info: Mapping[str, int]) -> None:
    """After a full collection: what is left was just looked at. For `gc.callbacks`."""
    if phase == "stop" and info["generation"] == _FULL:
        gc.freeze()
