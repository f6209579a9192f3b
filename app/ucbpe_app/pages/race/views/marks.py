"""How the configurations of a race are told apart, and the symbols of its regrets."""

from __future__ import annotations

from ucbpe_app import theme
from ucbpe_app.pages.race.measures import Measure
from ucbpe_app.render import legends

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
    Measure.BATCH: "<i>r</i><sub>t</sub><sup>K</sup>",
    Measure.CUMULATIVE: "<i>R</i><sub>T</sub><sup>K</sup>",
    Measure.EVERY: "<i>R</i><sub>TK</sub>",
}


def swatch(place: int) -> str:
    """SVG element of a configuration's line with its marker."""
    mark = CONFIGURATIONS[place]
    line = legends.stroke(mark.color, mark.dash)
    return legends.swatch(line + legends.point(mark.marker, mark.color))
