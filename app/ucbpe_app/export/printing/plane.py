"""Any number of inputs: the decision plane, each candidate a dot at its std and its mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from ucbpe_app import theme
from ucbpe_app.export.printing.marks import picks
from ucbpe_app.export.printing.sheet import PrintedPage
from ucbpe_app.export.printing.style import PT
from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.plane import LARGE_PLANE
from ucbpe_app.pictures.styles import STYLES
from ucbpe_app.plots import Band, Chart, Line, LineStyle, Moment, Points, Texts
from ucbpe_app.run.events import Kind

if TYPE_CHECKING:
    from ucbpe_app.export.printing import FigureRequest
    from ucbpe_app.pictures.picture import Label, Mark
    from ucbpe_app.plots import Part

_LEFT, _WIDTH = 1.9, 14.4  # cm


def plane(request: FigureRequest) -> PrintedPage:
    """The page of an event."""
    scene, frame = request.replay.scene, request.frame
    asked = Request(layers=request.layers, size="print")
    (plot,) = LARGE_PLANE.draw(scene, frame, asked).plots.values()
    marks = {one.role: one for one in plot.marks}
    drawn = (role for kind in LARGE_PLANE.plots.values() for role in kind.roles if role in marks)
    parts = [part for role in drawn for part in _parts(marks[role])]
    places = list(zip(*(marks["picks_over"].columns[name].tolist() for name in "xy"), strict=True))
    across = (plot.x.low, plot.x.high)
    # Measured picks huddle at small std, where numbers would cover each other.
    parts += picks(frame.picks, places, across, numbered=frame.event.kind is not Kind.OBSERVE)
    named = [one for one in plot.labels if one.place == "point" and one.role not in scene.roles]
    page = PrintedPage(request, height=13.1)
    page.note(plot.labels[0].text, 1.45)
    chart = Chart(
        [*parts, *(_label(one) for one in named if one.x > plot.x.low and one.y > plot.y.low)],
        "std σ", "mean μ", "", x_limits=across, y_limits=(plot.y.low, plot.y.high), grid="none",
    )  # fmt: skip
    axes = page.chart(chart, _LEFT, 2.2, _WIDTH, 8.7)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    return page


def _parts(mark: Mark) -> list[Part]:
    """A mark as its role is drawn, but for picks."""
    style, columns = STYLES[mark.role], mark.columns
    pen = LineStyle.of(style.mark, style.width * PT)
    if mark.role == "picks_over" or not len(columns["x"]):
        return []
    if mark.role == "optimum":
        x, y = columns["x"][0], columns["y"][0]
        square = LineStyle(theme.OVER_FIELD, marker="s")
        return [Points(x, y, style.size * PT, "none", 2 * PT, PT, pen=square)]
    match style.shape:
        case "area":
            bounds = columns["x"], columns["lower"], columns["upper"]
            return [Band(*bounds, style.alpha, pen=LineStyle(style.mark.color))]
        case "vline":
            return [Moment(float(columns["x"][0]), pen=pen)]
        case "line":
            return [Line(columns["x"], columns["y"], style.alpha, pen=pen)]
    color = style.mark.color + f"{round(255 * style.alpha):02X}"
    return [Points(columns["x"], columns["y"], style.size * PT, edge=0.0, pen=LineStyle(color))]


def _label(label: Label) -> Part:
    return Texts([label.x], [label.y], (label.text,), ((4 * PT, 6 * PT),), size=9 * PT)
