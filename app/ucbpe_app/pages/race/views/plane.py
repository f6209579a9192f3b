"""A configuration over more inputs than can be drawn: its decision plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.figures.plane import PlaneView
from ucbpe_app.figures.plane.window import beyond
from ucbpe_app.pages.race.views.optimum import Optimum
from ucbpe_core.errors import grouped

if TYPE_CHECKING:
    from ucbpe_app.pages.race.race import RaceRun, RunState
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.screen import Layers


class PlanePicture:
    """Each candidate a dot at (std, mean); the picks of the last batch; the optimum of f."""

    def __init__(self) -> None:
        self._plane, self.optimum = PlaneView(), Optimum()
        self.figure = self._plane.figure
        self.figure.min_border = 4
        self.figure.title.visible = False  # a heading above it is its title
        self.optimum.attach(self.figure)
        self._index = 0
        self._drawn: Frame | None = None

    def load(self, runner: RaceRun) -> None:
        """Take a run; its frames set the ranges."""
        self._drawn, self._index = None, runner.scene.optimum_index
        self._plane.load(runner.scene)

    def update(self, state: RunState) -> None:
        """Draw the run after its last completed batch, unless it is there already."""
        frame = state.frame
        if frame is self._drawn:
            return
        self._drawn = frame
        self._plane.update(frame)
        self.optimum.draw(float(frame.std_now[self._index]), float(frame.mean[self._index]))

    def show(self, layers: Layers) -> None:
        """Show or hide where f is best."""
        self.optimum.show(visible=layers.truth)

    def note(self, state: RunState) -> str:
        """How many dots the window leaves out, in a heading."""
        x, y = self.figure.x_range, self.figure.y_range
        out = beyond(state.frame, (x.start, x.end, y.start, y.end))
        return f"{grouped(out)} of {grouped(len(state.frame.mean))} dots outside" if out else ""
