"""The decision plane as the main picture, for problems that no function panel can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
from bokeh.models import ColumnDataSource

from ucbpe_app.figures import legends
from ucbpe_app.figures.marks import CLEAR, DARK, LIGHT, pick_entries
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.plane.dots import Dots
from ucbpe_app.figures.plane.view import PlaneView, legend
from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, Scene

# Here markers have room to be told apart; beyond this many, drawing them would delay a step.
_MANY = 6_000
_COLUMNS, _ROWS = 400, 240
_MARK, _SIZE = "square", 22
# Beside a regret of 190 px and more it fills a window of 1080 px; a lower one scrolls.
_CSS = """
.lab-plane {
  flex: none !important;
  height: var(--large-plane-height, max(380px, 78vh - 462px)) !important;
  margin-bottom: 8px !important;
}
.lab-plane-note { display: var(--plane-note, block) !important; }
"""


class LargePlaneView(PlaneView):
    """A `PlaneView` that has room for the whole legend, and marks the optimum of f."""

    def __init__(self) -> None:
        super().__init__(Dots(_MANY, _COLUMNS, _ROWS))
        self.optimum = ColumnDataSource({"x": [], "y": []})
        self._layers = Layers()
        self._outlines = [
            self.figure.scatter(
                "x",
                "y",
                source=self.optimum,
                marker=_MARK,
                size=_SIZE,
                fill_color=CLEAR,
                line_color=color,
                line_width=width,
            )
            for color, width in ((DARK, 4.0), (LIGHT, 2.0))
        ]

    def load(self, scene: Scene) -> None:
        """Take another run; its frames set the ranges."""
        super().load(scene)
        self.show(self._layers)

    def update(self, frame: Frame) -> None:
        """Draw an event."""
        super().update(frame)
        if self._scene is not None:
            best = self._scene.optimum_index
            self.optimum.data = {"x": [frame.std_now[best]], "y": [frame.mean[best]]}

    def show(self, layers: Layers) -> None:
        """Show or hide the truth: the place of its optimum."""
        self._layers = layers
        for outline in self._outlines:
            outline.visible = layers.truth
        if self._scene is not None:
            self._legend.object = self._entries(self._scene)

    def _layout(self) -> pn.Column:
        self.figure.css_classes = [*self.figure.css_classes, "lab-plane"]
        wide = {"sizing_mode": "stretch_width"}
        plot = pane(self.figure, margin=0)
        return pn.Column(self._legend, self._note, plot, stylesheets=[_CSS], margin=0, **wide)

    def _entries(self, scene: Scene) -> str:
        return legends.entries(full_legend(scene, truth=self._layers.truth))


def full_legend(scene: Scene, *, truth: bool) -> tuple[legends.Entry, ...]:
    """Picks, lines and dots, and the optimum of f if the truth is shown."""
    casing = legends.point(_MARK, "none", line=DARK, width=3)
    best = casing + legends.point(_MARK, "none", line=LIGHT, width=1.4)
    extreme = "maximum" if scene.sign > 0 else "minimum"
    optimum = ((best, f"{extreme} of {scene.axes[-1]}"),) if truth else ()
    return (*pick_entries(scene.roles), *legend(scene), *optimum)
