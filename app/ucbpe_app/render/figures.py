"""What the figures of a picture are built of, and how they are drawn again for the other theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from weakref import WeakMethod

import panel as pn
from bokeh.events import DocumentEvent
from bokeh.models import (
    BasicTicker,
    ColorBar,
    ColumnDataSource,
    CustomJS,
    FixedTicker,
    LinearColorMapper,
    PanTool,
    Range1d,
    Selection,
    WheelZoomTool,
)

from ucbpe_app import theme
from ucbpe_app.pictures.looks import STYLES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bokeh.document import Document
    from bokeh.plotting import figure as Figure

    from ucbpe_app.pictures.picture import Axis, PlotKind


COLORS = frozenset({"color", "fill", "line"})  # columns that hold colours


class ThemeChanged(DocumentEvent):
    """The page of a session has another theme."""

    event_name: ClassVar[str] = "lab_theme_changed"


def is_dark() -> bool:
    """Whether the page of this session is dark."""
    return bool(pn.config.theme == "dark")


def follow(redraw: Callable[[], None]) -> None:
    """Have a picture's method called when the page of this session gets another theme.

    The session's document holds what is called, and no picture longer than its page does.
    """
    if pn.state.curdoc is None:
        return
    method = WeakMethod(redraw)

    def draw(_: ThemeChanged) -> None:
        if (again := method()) is not None:
            again()

    pn.state.curdoc.on_event(ThemeChanged, draw)


def redraw(document: Document) -> None:
    """Draw all pictures of a session as its page now is, as one message to the browser."""
    with pn.io.hold():
        document.callbacks.trigger_event(ThemeChanged())


def in_dark(colors: Sequence[str]) -> list[str]:
    """Colours as a dark page has them; an opacity, the eighth and ninth digit, stays."""
    return [theme.DARK.get(color[:7], color[:7]) + color[7:] for color in colors]


# Where a picture fills the screen of a phone, a finger must scroll the page and not the picture.
_SCROLLABLE = "@media (hover: none) { .bk-Canvas { pointer-events: none !important; } }"


class Ticks:
    """The ticks of both axes: those of the picture where it names some, else Bokeh's."""

    def __init__(self, figure: Figure, plot: PlotKind) -> None:
        counts = {"x": plot.x_ticks, "y": plot.y_ticks}
        both = {"x": figure.xaxis[0], "y": figure.yaxis[0]}
        # One that is not shown is not kept: see sending.py.
        self.axes = {name: axis for name, axis in both.items() if counts[name]}
        for name, axis in self.axes.items():
            axis.ticker = BasicTicker(desired_num_ticks=counts[name], num_minor_ticks=0)
        self._automatic = {name: axis.ticker for name, axis in self.axes.items()}
        self._named: dict[str, dict[float, str]] = {name: {} for name in self.axes}

    def fit(self, name: str, axis: Axis) -> None:
        """Take the ticks of the picture's axis "x" or "y"."""
        if name not in self.axes:
            return
        drawn = self.axes[name]
        if not axis.ticks:
            if drawn.ticker is not self._automatic[name]:
                # A label that is taken back is kept by Bokeh's script: each says its own value.
                values = {at: f"{at:g}" for at in self._named[name]}
                drawn.update(ticker=self._automatic[name], major_label_overrides=values)
            return
        labels = dict(axis.ticks)
        self._named[name] |= labels
        ticker = drawn.ticker if isinstance(drawn.ticker, FixedTicker) else FixedTicker()
        ticker.ticks = list(labels) if any(labels.values()) else []
        drawn.update(ticker=ticker, major_label_overrides=labels)


def source_of(role: str, selected: Selection) -> ColumnDataSource:
    """An empty source for the marks of a role; sources may share what is selected in them."""
    columns: dict[str, list[object]] = {column: [] for column in STYLES[role].columns}
    return ColumnDataSource(columns, name=role, selected=selected)


def bar_of(colors: LinearColorMapper, *, fixed: bool) -> ColorBar:
    """The scale of the colours of a figure; Bokeh ignores a ticker that is set later."""
    automatic = BasicTicker(desired_num_ticks=4, num_minor_ticks=0)
    return ColorBar(
        color_mapper=colors,
        ticker=FixedTicker(ticks=[]) if fixed else automatic,
        width=10,
        padding=0,
        location=(8, 0),
        label_standoff=6,
        major_tick_line_color=None,
        bar_line_color=None,
        border_line_color=None,
        background_fill_alpha=0,
    )


def _zoom(figure: Figure) -> None:
    """Drag pans, Ctrl and the wheel zoom, a double click goes back; the bare wheel scrolls."""
    zoom = WheelZoomTool(modifiers="ctrl", visible=False)
    figure.add_tools(PanTool(visible=False), zoom)
    figure.toolbar.active_scroll = zoom
    ranges = {"x": figure.x_range, "y": figure.y_range}
    figure.js_on_event("doubletap", CustomJS(args=ranges, code="x.reset(); y.reset()"))
    figure.stylesheets = [_SCROLLABLE]


def borders_of(borders: tuple[int, int, int, int]) -> dict[str, int]:
    """The properties of a figure with these px around its frame: left, right, top, bottom."""
    sides = zip(("left", "right", "top", "bottom"), borders, strict=True)
    return {f"min_border_{side}": width for side, width in sides}


def figure_of(kind: str, plot: PlotKind, label: str, x_range: Range1d, y_range: Range1d) -> Figure:
    """An empty figure for a plot of a kind, with its axes, grid, tools and accessible name."""
    figure = theme.figure(
        height=plot.height,
        x_range=x_range,
        y_range=y_range,
        html_attributes=theme.region(label),
        css_classes=["lab-plot-figure", f"lab-at-{kind}"],
    )
    figure.update(**borders_of(plot.borders))
    figure.xgrid.visible = False
    figure.ygrid.visible = plot.grid
    figure.xaxis.visible, figure.yaxis.visible = plot.x_ticks > 0, plot.y_ticks > 0
    if plot.rows:
        figure.yaxis.axis_line_width = 0  # its colour and opacity are those of the page
    if plot.zoom:
        _zoom(figure)
    return figure
