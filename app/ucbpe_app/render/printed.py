"""The one renderer for print: a picture as elements of HoloViews, which Matplotlib draws.

Files, notebooks, reports and the documentation have their pictures of a run from here.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FixedLocator, Locator, MaxNLocator

from ucbpe_app import theme
from ucbpe_app.plots import Chart
from ucbpe_app.plots.chart import fill
from ucbpe_app.plots.prints import style
from ucbpe_app.render.printed_labels import write_heading, write_labels
from ucbpe_app.render.printed_marks import PT, elements_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import holoviews as hv
    from matplotlib.axes import Axes

    from ucbpe_app.pictures.picture import Colors, Picture, Plot, PlotKind

CM = 72 / 2.54  # points
WIDTH = 17 * CM  # a page of A4 or letter between its margins
_COLUMN, _CORNER = 3.9 * CM, 0.9 * CM  # right of the frames, for labels; or for the name of x alone
_HEADING = 18.0  # points above a picture for its heading, where there are several
_NUMBERS, _BAR_ROOM = 35.0, 41.0  # points left of a map, and right of it for its colours
# Of the size of numbers at an axis: the width of a letter, and the least gap between two names.
_LETTER, _BETWEEN = 0.62, 0.8
_BAR, _BAR_GAP = 6.0, 5.0  # points across, and from the map
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

    def to_right(self, gap: float, width: float) -> Box:
        """A place right of it, as high."""
        return Box(self.left + self.width + gap, self.top, width, self.height)

    def axes(self, figure: Figure) -> Axes:
        """Empty axes whose frame is there."""
        width, height = figure.get_size_inches() * 72
        bottom = height - self.top - self.height
        return figure.add_axes(
            (self.left / width, bottom / height, self.width / width, self.height / height)
        )


def printed(pictures: Sequence[Picture], above: float = 0.0, below: float = 0.0) -> Figure:
    """A figure of pictures below each other, 17 cm wide, with room above and below in points.

    Within `drawing`. The figure belongs to no window and to no other thread. Of several pictures
    each has the name of its plot as its heading.
    """
    drawn: list[tuple[Plot, PlotKind, Box]] = []
    top = above
    for picture in pictures:
        top += _HEADING * (len(pictures) > 1)
        boxes, height = (_maps if "first" in picture.plots else _stack)(picture, top)
        kinds = picture.kind.plots
        drawn += [(picture.plots[name], kinds[name], box) for name, box in boxes.items()]
        top += height
    figure = Figure((WIDTH / 72, (top + below) / 72), facecolor="white")
    for plot, kind, box in drawn:
        if plot.marks:
            draw_plot(box.axes(figure), plot, kind)
        if kind.bar and plot.colors is not None:
            _bar(box.to_right(_BAR_GAP, _BAR).axes(figure), plot.colors)
        write_labels(figure, plot, box, WIDTH, PT)
        if len(pictures) > 1:
            write_heading(figure, kind.name, plot, box)
    return figure


def card(picture: Picture) -> Figure:
    """The first plot of a picture without axes and words, as wide as it is high or wider."""
    name, plot = next(iter(picture.plots.items()))
    kind = picture.kind.plots[name]
    _, box = next(iter((_maps if "first" in picture.plots else _stack)(picture, 0.0)[0].items()))
    figure = Figure((box.width / 72, box.height / 72), facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    draw_plot(axes, plot, kind)
    axes.set_axis_off()
    return figure


def elements(plot: Plot, kind: PlotKind) -> hv.Overlay:
    """The marks of a plot from the bottom up; it composes with ``*`` and ``+``."""
    marks = {mark.role: mark for mark in plot.marks}
    drawn = [
        element
        for role in kind.roles
        if role in marks
        for element in elements_of(marks[role], plot.colors)
    ]
    return Chart(drawn, x_limits=(plot.x.low, plot.x.high), y_limits=(plot.y.low, plot.y.high))


def draw_plot(axes: Axes, plot: Plot, kind: PlotKind) -> None:
    """Draw marks, ticks and grid of a plot on axes."""
    drawn = elements(plot, kind)
    if len(drawn):
        fill(axes, drawn)
    axes.set(xlim=(plot.x.low, plot.x.high), ylim=(plot.y.low, plot.y.high))
    axes.grid(visible=False, axis="x")
    axes.grid(visible=kind.grid, axis="y")
    for collection in axes.collections:
        if isinstance(collection, PathCollection):  # a marker at the edge is whole
            x, y = np.asarray(collection.get_offsets(), float).T
            within = (plot.x.low <= x) & (x <= plot.x.high) & (plot.y.low <= y) & (y <= plot.y.high)
            collection.set_clip_on(not within[np.isfinite(x + y)].all())
    sides = (
        (axes.xaxis, plot.x, kind.x_ticks, "bottom"),
        (axes.yaxis, plot.y, kind.y_ticks, "left"),
    )
    for axis, given, count, side in sides:
        if given.ticks:
            names = dict(given.ticks)
            across = axis is axes.xaxis
            axis.set_major_locator(
                _Apart(axes, given.ticks) if across else FixedLocator(list(names))
            )
            axis.set_major_formatter(partial(_named, names))
        else:
            axis.set_major_locator(MaxNLocator(count + 1, steps=[1, 2, 5, 10]))
        axis.set_tick_params(length=0 if given.ticks or not count else 3)
        if not count:
            axis.set_tick_params(labelbottom=False, labelleft=False)
        axes.spines[side].set_visible(count > 0 and not (kind.rows and side == "left"))


class _Apart(Locator):
    """Ticks across, or every second, fifth or tenth of them, so that no names run together.

    Matplotlib asks when it knows how wide the axes are.
    """

    def __init__(self, axes: Axes, ticks: Sequence[tuple[float, str]]) -> None:
        self._axes, self._places = axes, np.array([place for place, _ in ticks])
        self._size = FontProperties(size=rcParams["xtick.labelsize"]).get_size_in_points()
        self._wide = _LETTER * self._size * np.array([len(name) for _, name in ticks])

    def __call__(self) -> list[float]:
        ends = [(place, 0.0) for place in self._places]
        at = self._axes.transData.transform(ends)[:, 0] * 72 / self._axes.figure.dpi
        for every in (1, 2, 5, 10):
            # Where no tick is at 0, those at multiples stay.
            shown = slice(0 if self._places[0] <= 0 else every - 1, None, every)
            wide = self._wide[shown]
            between = np.diff(at[shown]) - (wide[1:] + wide[:-1]) / 2
            if (between >= _BETWEEN * self._size).all():
                break
        return self._places[shown].tolist()


def _named(names: Mapping[float, str], place: float, _: int) -> str:
    return names.get(place, "")


def _bar(axes: Axes, colors: Colors) -> None:
    """The scale of colours."""
    scale = ScalarMappable(
        Normalize(colors.low, colors.high), ListedColormap(theme.PALETTES[colors.palette])
    )
    drawn = axes.figure.colorbar(scale, cax=axes, ticks=MaxNLocator(5))
    drawn.outline.set_visible(False)
    axes.grid(visible=False)
    axes.tick_params(length=0, pad=2)


def _stack(picture: Picture, above: float) -> tuple[dict[str, Box], float]:
    """Frames below each other, and their height together; labels have a column right of them."""
    boxes, top = dict[str, Box](), above
    for name in picture.plots:
        kind = picture.kind.plots[name]
        left, right, over, under = (PT * border for border in kind.borders)
        width = WIDTH - left - max(right, _COLUMN if kind.ends else _CORNER)
        boxes[name] = Box(left, top + over, width, PT * kind.height - over - under)
        top += PT * kind.height
    return boxes, top - above


def _maps(picture: Picture, above: float) -> tuple[dict[str, Box], float]:
    """A large square, and right of it three small ones, which together are as high."""
    _, _, over, under = (PT * border for border in picture.kind.plots["map"].borders)
    side = (WIDTH - _NUMBERS - 2 * _BAR_ROOM + 2 / 3 * over) * 3 / 4
    edge = (side - 2 * over) / 3
    boxes = {"map": Box(_NUMBERS, above + over, side, side)}
    across, top = _NUMBERS + side + _BAR_ROOM, above + over
    for i, name in enumerate(("first", "second", "third")):
        boxes[name] = Box(across, top + i * (edge + over), edge, edge)
    boxes["scale"] = Box(across + edge, top, 0.0, side)
    shown = {name: box for name, box in boxes.items() if name in picture.plots}
    return shown, over + side + under
