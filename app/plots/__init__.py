"""Charts for print and for notebooks: what is not stepped, drawn by HoloViews with Matplotlib."""

from app import theme
from app.plots.chart import Chart, draw
from app.plots.elements import Band, Level, Line, Moment, Part, Points
from app.plots.pens import Pen
from app.plots.picture import Picture

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
    "Chart",
    "Level",
    "Line",
    "Moment",
    "Part",
    "Pen",
    "Picture",
    "Points",
    "draw",
]

# The roles of the dashboard, as it draws them.
TRUTH, MEAN, BAND, DATA = (
    Pen.of(mark) for mark in (theme.TRUTH, theme.MEAN, theme.BAND, theme.DATA)
)
UCB_PICK, PE_PICK = Pen.of(theme.UCB_PICK), Pen.of(theme.PE_PICK)
Y_DOT, REGION, REGION_PLUS = (
    Pen.of(mark) for mark in (theme.Y_DOT, theme.REGION, theme.REGION_PLUS)
)
