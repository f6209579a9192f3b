"""How printed charts look: pens by role or by place, and the style of everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ucbpe_app.theme import BLUE, GREEN, INK, ORANGE, PURPLE, VERMILLION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.theme import Mark

# Okabe and Ito's palette, black for the policy that the others are compared with. Their yellow
# and their sky blue have less than 3:1 on white: a brown and a deeper blue replace them.
_BLACK = "#000000"
COLORS = (_BLACK, BLUE, VERMILLION, GREEN, PURPLE, ORANGE, "#2C8FC9", "#97704A")
# In units of the line width. Seven dashes and eight colours repeat together only after 56 policies.
DASHES: tuple[Any, ...] = (
    "solid",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (9, 2.5)),
    (0, (2.8, 1.2)),
    (0, (6, 1.3, 1.2, 1.3, 1.2, 1.3)),
)

_SCREEN_WIDTH = 2  # px

# Matplotlib's settings while a figure is drawn and saved; none outlives it. The font is the one
# that comes with Matplotlib, and text becomes outlines: a figure is the same on every machine.
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 5),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.handlelength": 3.2,
    "legend.labelspacing": 0.6,
    "lines.dash_capstyle": "butt",
    "svg.fonttype": "path",
    "svg.hashsalt": "ucbpe",
}


_DASHED = {"solid": "solid", "dashed": (0, (4, 2)), "dotted": (0, (1, 1.6)), "dotdash": "dashdot"}
# Outlines through these points: of a cross, as Matplotlib's own takes no colour of an edge, and of
# a diamond as high as the other markers.
_CROSS = ((-1, -1), (1, 1), (0, 0), (-1, 1), (1, -1), (0, 0))
_DIAMOND = ((0, 1), (2 / 3, 0), (0, -1), (-2 / 3, 0), (0, 1))
_MARKERS: dict[str, Any] = {
    "circle": "o",
    "square": "s",
    "star": "*",
    "diamond": _DIAMOND,
    "x": _CROSS,
}


@dataclass(frozen=True)
class LineStyle:
    """How one thing is drawn: colour and dash, each enough to tell it by, and marker of points."""

    color: str = _BLACK
    dash: Any = "solid"
    width: float = 1.6
    marker: Any = "o"

    @classmethod
    def of(cls, mark: Mark, width: float = 1.6) -> LineStyle:
        """The pen of a role that the dashboard draws with this mark."""
        return cls(mark.color, _DASHED[mark.dash], width, _MARKERS.get(mark.marker, "o"))

    @property
    def line(self) -> dict[str, Any]:
        """Return the options of a line, for HoloViews and for Matplotlib."""
        return {"color": self.color, "linestyle": self.dash, "linewidth": self.width}

    @property
    def on_screen(self) -> ScreenLineStyle:
        """Return the same for Bokeh, on a background that may be dark: black becomes grey."""
        lengths = () if self.dash == "solid" else self.dash[1]
        color = INK if self.color == _BLACK else self.color
        return ScreenLineStyle(color, tuple(round(_SCREEN_WIDTH * one) for one in lengths))


class ScreenLineStyle(NamedTuple):
    """A line of 2 px: its colour, 3:1 or more on white and on #121212, and its dash in px."""

    color: str
    dash: tuple[int, ...]


def pen(rank: int) -> LineStyle:
    """The pen of the line at this place among others, from 0."""
    return LineStyle(COLORS[rank % len(COLORS)], DASHES[rank % len(DASHES)])


def pens(policies: Sequence[str]) -> dict[str, LineStyle]:
    """Return a pen for each policy, by its place in the study: the same in all its figures."""
    return {policy: pen(rank) for rank, policy in enumerate(policies)}
