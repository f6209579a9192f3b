"""How the configurations of a race are told apart, and the symbols of its regrets."""

from __future__ import annotations

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.regret.chart import symbol
from ucbpe_app.pages.race.measures import Measure

# Not the markers of the roles of picks: what is a star or a diamond is a pick.
CONFIGURATIONS = (
    theme.Mark(theme.BLUE, marker="circle"),
    theme.Mark(theme.VERMILLION, dash="dashed", marker="square"),
    theme.Mark(theme.GREEN, dash="dotted", marker="triangle"),
    theme.Mark(theme.PURPLE, dash="dotdash", marker="inverted_triangle"),
)
# The paper's, as HTML; the best so far has none there.
SYMBOLS = {
    Measure.BEST: "",
    Measure.BATCH: symbol("r", "K", "t"),
    Measure.CUMULATIVE: symbol("R", "K", "T"),
    Measure.EVERY: symbol("R", "", "TK"),
}
_TRIANGLES = {"triangle": "0,-5 5,4 -5,4", "inverted_triangle": "0,5 5,-4 -5,-4"}


def swatch(place: int) -> str:
    """SVG element of a configuration's line with its marker."""
    mark = CONFIGURATIONS[place]
    return legends.swatch(legends.stroke(mark.color, mark.dash) + _marker(mark))


def _marker(mark: theme.Mark) -> str:
    if mark.marker in _TRIANGLES:
        return f'<polygon points="{_TRIANGLES[mark.marker]}" fill="{mark.color}"/>'
    return legends.point(mark.marker, mark.color)
