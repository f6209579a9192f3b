"""The candidate that the mouse points at, and the mark that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.sources import put

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_core.validation import Floats

_SIZE = 15
# A dark casing below a light line, as for picks: it reads over any field and on both themes.
_LINES = ((theme.OVER_FIELD_CASING, 3.6), (theme.OVER_FIELD, 1.4))


@dataclass(frozen=True)
class Place:
    """A place in a figure, in the units of its axes, and how many of them a pixel is wide."""

    x: float
    y: float
    dx: float
    dy: float

    def nearest(self, x: Floats, y: Floats, reach: float = np.inf) -> int | None:
        """Index of the point (x, y), shape (M,), nearest on screen, if within `reach` px."""
        if len(x) == 0:
            return None
        squared = ((x - self.x) / self.dx) ** 2 + ((y - self.y) / self.dy) ** 2
        index = int(np.argmin(squared))
        return index if squared[index] <= reach**2 else None


class CandidateMarker:
    """One mark for one candidate, in as many figures as share its columns."""

    def __init__(self, *columns: str) -> None:
        self._columns = columns
        self.source = ColumnDataSource({name: [] for name in (*columns, "line", "width")})

    def attach(self, plot: Figure, x: str, y: str) -> None:
        """Draw it in a figure at two of the columns."""
        plot.scatter(
            x,
            y,
            source=self.source,
            marker=theme.CANDIDATE.marker,
            size=_SIZE,
            fill_color=None,
            line_color="line",
            line_width="width",
        )

    def draw(self, *place: float) -> None:
        """Show it, with a value per column; hide it without values."""
        rows = len(_LINES) if place else 0
        data: dict[str, list[Any]] = {
            **{name: [value] * rows for name, value in zip(self._columns, place, strict=False)},
            "line": [color for color, _ in _LINES[:rows]],
            "width": [width for _, width in _LINES[:rows]],
        }
        data |= {name: [] for name in self._columns if not place}
        put(self.source, data)


def swatch() -> legends.Shapes:
    """The mark as a legend shows it."""
    return tuple(
        shape
        for color, width in _LINES
        for shape in legends.point(theme.CANDIDATE.marker, "none", line=color, width=width)
    )
