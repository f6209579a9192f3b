"""Where f is best, as a square over any field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import ColumnDataSource

from ucbpe_app.figures import legends
from ucbpe_app.figures.marks import CLEAR, DARK, LIGHT

if TYPE_CHECKING:
    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

_MARK, _SIZE = "square", 18


class Optimum:
    """The outline of a square at one point; dark and light, so that it reads on any colour."""

    def __init__(self) -> None:
        rows = {"line": [DARK, LIGHT], "width": [4.0, 2.0]}
        self.source = ColumnDataSource({"x": [], "y": [], **{name: [] for name in rows}})
        self._rows = rows
        self._outlines: list[GlyphRenderer] = []

    def attach(self, plot: Figure) -> None:
        """Draw it in a figure."""
        outline = plot.scatter(
            "x",
            "y",
            source=self.source,
            marker=_MARK,
            size=_SIZE,
            fill_color=CLEAR,
            line_color="line",
            line_width="width",
        )
        self._outlines.append(outline)

    def draw(self, x: float, y: float) -> None:
        """Show it there."""
        self.source.data = {"x": [x, x], "y": [y, y], **self._rows}

    def show(self, *, visible: bool) -> None:
        """Show or hide it."""
        for outline in self._outlines:
            outline.visible = visible


def entry(extreme: str) -> legends.Entry:
    """Swatch and text for a legend; the maximum of f is looked for, or the minimum."""
    casing = legends.point(_MARK, "none", line=DARK, width=3)
    return casing + legends.point(_MARK, "none", line=LIGHT, width=1.4), f"{extreme} of f"
