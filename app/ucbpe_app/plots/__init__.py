"""Charts for print and for notebooks: what is not stepped, drawn by HoloViews with Matplotlib."""

from ucbpe_app import theme
from ucbpe_app.line_styles import LineStyle
from ucbpe_app.plots.chart import Chart, draw, fill
from ucbpe_app.plots.elements import Band, Bars, Field, Level, Line, Moment, Part
from ucbpe_app.plots.markers import BAND, DATA, MEAN, TRUTH, Dots, Points, Texts, belief_parts
from ucbpe_app.plots.picture import Picture

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
    "Dots",
    "Field",
    "Level",
    "Line",
    "LineStyle",
    "Moment",
    "Part",
    "Picture",
    "Points",
    "Texts",
    "belief_parts",
    "draw",
    "fill",
]

# Further roles of the dashboard, as it draws them.
UCB_PICK, PE_PICK, Y_DOT, REGION, REGION_PLUS = (
    LineStyle.of(mark)
    for mark in (theme.UCB_PICK, theme.PE_PICK, theme.Y_DOT, theme.REGION, theme.REGION_PLUS)
)
