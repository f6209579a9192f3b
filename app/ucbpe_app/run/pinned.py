"""A run kept behind the one on screen, to see what a change of settings changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.events import closest

if TYPE_CHECKING:
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.replay import Replay


@dataclass(frozen=True, eq=False)
class PinnedRun:
    """A pinned run, what legends call it, and what sets it and the run on screen apart."""

    replay: Replay = field(repr=False)
    label: str
    names: tuple[str, str] = ("", "")

    def fits(self, scene: Scene) -> bool:
        """Whether it can be drawn beside this run: the same problem, the same candidates."""
        own = self.replay.scene
        return (
            own.name == scene.name
            and own.candidates.shape == scene.candidates.shape
            and bool(np.all(own.candidates == scene.candidates))
        )

    def frame(self, event: Event) -> Frame | None:
        """Its frame at an event, or the nearest before in that batch; None if it has ended."""
        if event.t > len(self.replay.trace.decisions):
            return None
        return self.replay.frame(closest(self.replay.events, event))
