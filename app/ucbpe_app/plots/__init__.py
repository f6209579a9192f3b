"""Charts for print and for notebooks: elements that HoloViews composes and Matplotlib draws.

``draw(Chart(Band(x, low, high) * Line(x, mean), "x", "f(x)"), words="...")`` is a PNG in a cell.
"""

from ucbpe_app.pictures.looks import LineStyle
from ucbpe_app.plots.chart import Chart, draw
from ucbpe_app.plots.elements import (
    BAND,
    DATA,
    MEAN,
    PE_PICK,
    REGION,
    REGION_PLUS,
    TRUTH,
    UCB_PICK,
    Y_DOT,
    Band,
    Bars,
    Field,
    Level,
    Line,
    Moment,
    Points,
    belief_parts,
)
from ucbpe_app.plots.prints import Print

__all__ = [
    "BAND",
    "DATA",
    "MEAN",
    "PE_PICK",
    "REGION",
    "REGION_PLUS",
    "TRUTH",
    "UCB_PICK",
    "Y_DOT",
    "Band",
    "Bars",
    "Chart",
    "Field",
    "Level",
    "Line",
    "LineStyle",
    "Moment",
    "Points",
    "Print",
    "belief_parts",
    "draw",
]
