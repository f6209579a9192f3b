"""The one renderer for print: a picture as elements of HoloViews, which Matplotlib draws.

Files, notebooks, reports, films and the documentation have their pictures of a run from here.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import holoviews as hv
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from ucbpe_app.line_styles import LineStyle
from ucbpe_app.pictures.styles import STYLES
from ucbpe_app.plots import Chart
from ucbpe_app.plots.chart import fill
from ucbpe_app.plots.elements import Band, Bars, Level, Line, Moment, Points
from ucbpe_app.plots.prints import style
from ucbpe_app.render.printed_labels import write_labels
from ucbpe_app.theme import Mark as Look

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from ucbpe_app.pictures.picture import Mark, Picture, Plot, PlotKind
    from ucbpe_app.pictures.styles import Style

CM = 72 / 2.54  # points
WIDTH = 17 * CM  # a page of A4 or letter between its margins
PT = 0.62  # points for a pixel of the screen, whose pictures are wider than a page
_COLUMN = 3.9 * CM  # beside the frames, for labels
_SETTINGS: dict[Any, Any] = {
    "font.size": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.formatter.use_mathtext": False,  # numbers are text too
    "axes.formatter.limits": (-5, 6),
    "text.color": "#222222",
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",  # text stays text: it can be searched, read out and changed
}


@contextmanager
def drawing() -> Iterator[None]:
    """Build and save figures within: one thread at a time, in the style of all charts."""
    with style(_SETTINGS):
        yield


class Box(NamedTuple):
    """A place on a figure, in points from its upper left corner."""

    left: float
    top: float
    width: float
    height: float

    def axes(self, figure: Figure) -> Axes:
        """Empty axes whose frame is there."""
        width, height = figure.get_size_inches() * 72
        bottom = height - self.top - self.height
        return figure.add_axes(
            (self.left / width, bottom / height, self.width / width, self.height / height)
        )


def printed(picture: Picture, above: float = 0.0, below: float = 0.0) -> Figure:
    """A figure of all plots, 17 cm wide, with so many points left free above and below.

    Within `drawing`. The figure belongs to no window and to no other thread.
    """
    places = _places(picture, above)
    end = max(place.top + place.height for place in places.values())
    borders = max(kind.borders[3] for kind in picture.kind.plots.values())
    size = (WIDTH / 72, (end + PT * borders + below) / 72)
    figure = Figure(size, facecolor="white")
    for name, place in places.items():
        plot = picture.plots[name]
        draw_plot(place.axes(figure), plot, picture.kind.plots[name])
        write_labels(figure, plot, place, WIDTH, PT)
    return figure


def elements(plot: Plot, kind: PlotKind) -> hv.Overlay:
    """The marks of a plot from the bottom up; it composes with ``*`` and ``+``."""
    given = {one.role: one for one in plot.marks}
    found = [element for role in kind.roles if role in given for element in _drawn(given[role])]
    limits = (plot.x.low, plot.x.high), (plot.y.low, plot.y.high)
    return Chart(found, x_limits=limits[0], y_limits=limits[1])


def draw_plot(axes: Axes, plot: Plot, kind: PlotKind) -> None:
    """Draw marks, ticks and grid of a plot on axes."""
    drawn = elements(plot, kind)
    if len(drawn):
        fill(axes, drawn)
    axes.set(xlim=(plot.x.low, plot.x.high), ylim=(plot.y.low, plot.y.high))
    axes.grid(visible=False, axis="x")
    axes.grid(visible=kind.grid, axis="y")
    sides = (
        (axes.xaxis, plot.x, kind.x_ticks, "bottom"),
        (axes.yaxis, plot.y, kind.y_ticks, "left"),
    )
    for axis, given, count, side in sides:
        if given.ticks:
            places, names = zip(*given.ticks, strict=True)
            axis.set_major_locator(FixedLocator(places))
            axis.set_ticklabels(names)
        else:
            axis.set_major_locator(MaxNLocator(count + 1, steps=[1, 2, 5, 10]))
        axis.set_tick_params(length=0 if given.ticks or not count else 3)
        if not count:
            axis.set_tick_params(labelbottom=False, labelleft=False)
        axes.spines[side].set_visible(count > 0)


def _places(picture: Picture, above: float) -> dict[str, Box]:
    """The frames of the plots, above each other."""
    places, top = dict[str, Box](), above
    for name, kind in picture.kind.plots.items():
        if name in picture.plots:
            left, right, over, under = (PT * one for one in kind.borders)
            width, height = WIDTH - left - right - _COLUMN, PT * kind.height - over - under
            places[name] = Box(left, top + over, width, height)
            top += PT * kind.height
    return places


def _drawn(mark: Mark) -> list[hv.Element]:
    """The elements of a mark: one for each look that its rows have."""
    look, columns = STYLES[mark.role], mark.columns
    if not len(next(iter(columns.values()))):
        return []
    pen, alpha = LineStyle.of(look.mark, PT * look.width), look.alpha
    match look.shape:
        case "line" | "step":
            x, y, step = columns["x"], columns["y"], look.shape == "step"
            return [Line(x, y, pen=pen, alpha=alpha, step=step)]
        case "area":
            return [Band(columns["x"], columns["lower"], columns["upper"], pen=pen, alpha=alpha)]
        case "points":
            return _points(look, columns)
        case "rects":
            corners = (columns[name] for name in ("left", "right", "bottom", "top"))
            hatch = "/////" if look.hatch else ""
            return [Bars(*corners, pen=pen, alpha=alpha, outline=look.outline, hatch=hatch)]
        case "vline":
            return [Moment(columns["x"], pen=pen, alpha=alpha)]
        case "hline":
            return [Level(columns["y"], pen=pen, alpha=alpha)]
    raise ValueError(look.shape)


def _points(look: Style, columns: Any) -> list[hv.Element]:
    """Markers; Matplotlib draws those of one look together, the first look first."""
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row in range(len(columns["x"])):
        own = tuple(columns[name][row] for name in look.by_row)
        rows.setdefault(own, []).append(row)
    found = []
    for own, members in rows.items():
        one = dict(zip(look.by_row, own, strict=True))
        color, alpha = one.get("color", look.mark.color), one.get("alpha", look.alpha)
        edge = Look(one.get("line", color), marker=one.get("marker", look.mark.marker))
        found.append(
            Points(
                columns["x"][members], columns["y"][members],
                pen=LineStyle.of(edge),
                size=PT * one.get("size", look.size),
                fill=to_hex((color, alpha), keep_alpha=True) if alpha else "none",
                edge=PT * one.get("width", look.width),
            )
        )  # fmt: skip
    return found
