"""How marks of the page become lines and points of Matplotlib, and the style of everything else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ucbpe_app.pictures.styles import policy_looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.theme import Mark

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
    "triangle": "^",
    "inverted_triangle": "v",
    "hex": "H",
    "plus": "P",
    "asterisk": (6, 2, 0),
    "square_pin": (4, 1, 0),
    "triangle_pin": (3, 1, 0),
}


@dataclass(frozen=True)
class LineStyle:
    """How one thing is drawn: colour, dash and width of lines, marker and fill of points."""

    color: str = "#000000"
    dash: Any = "solid"
    width: float = 1.6
    marker: Any = "o"
    fill: str = ""  # "" for the colour

    @classmethod
    def of(cls, mark: Mark, width: float = 1.6) -> LineStyle:
        """The pen of a role that the dashboard draws with this mark."""
        return cls(mark.color, _DASHED[mark.dash], width, _MARKERS.get(mark.marker, "o"))

    @property
    def line(self) -> dict[str, Any]:
        """Return the options of a line, for HoloViews and for Matplotlib."""
        return {"color": self.color, "linestyle": self.dash, "linewidth": self.width}


def pens(labels: Sequence[str]) -> dict[str, LineStyle]:
    """Return a pen for each label, most of them policies: the same in all figures."""
    looks = zip(labels, policy_looks(labels), strict=True)
    return {
        label: replace(LineStyle.of(look.mark), fill="" if look.filled else "white")
        for label, look in looks
    }
