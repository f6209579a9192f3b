"""The one renderer for the browser: fixed Bokeh figures whose columns follow a picture.

The figures of a kind are built once. A picture replaces columns, ranges and labels; here alone what
is drawn is compared with what comes, and what is the same is not sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
from bokeh.models import BasicTicker, ColumnDataSource, FixedTicker, Range1d

from ucbpe_app import theme
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.sources import put
from ucbpe_app.pictures.styles import STYLES
from ucbpe_app.render.glyphs import draw, look
from ucbpe_app.render.labels import Labels, items_of

if TYPE_CHECKING:
    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

    from ucbpe_app.pictures.picture import Axis, Kind, Picture, Plot, PlotKind

_HIDDEN = "lab-plot-hidden"
_CSS = f"""
:host(.lab-plot) {{ position: relative; container-type: inline-size; }}
:host(.{_HIDDEN}) {{ display: none !important; }}
.lab-plot-figure {{
  flex: none !important;
  width: calc(100% - var(--label-column, 0px)) !important;
  height: var(--plot-height) !important;
}}
/* Where the plot is wide enough, labels of lines have a column beside it. */
@container (min-width: 560px) {{ .lab-plot-figure, .lab-labels {{ --label-column: 8.5rem; }} }}
"""
_ROOMIER = 1.5  # times the borders, where the ticks are larger


class BokehPlot:
    """One figure, with a renderer and a source for each role of its kind."""

    def __init__(
        self, kind: str, name: str, plot: PlotKind, label: str, x_range: Range1d, y_range: Range1d
    ) -> None:
        self._kind = plot
        self.figure = _figure(kind, plot, label, x_range, y_range)
        self.sources = {
            role: ColumnDataSource({column: [] for column in STYLES[role].columns}, name=role)
            for role in plot.roles
        }
        self.renderers: dict[str, GlyphRenderer] = {
            role: draw(self.figure, STYLES[role], source) for role, source in self.sources.items()
        }
        self.labels = Labels(borders=plot.borders)
        self._tickers = _Ticks(self.figure, plot)
        self._plot: Plot | None = None
        self._size, self._bold = "step", ""
        self.panel = pn.Column(
            pane(self.figure, margin=0),
            self.labels,
            css_classes=["lab-plot"],
            stylesheets=[_CSS],
            styles={"--plot-height": f"var(--{name}-height, {plot.height}px)"},
            sizing_mode="stretch_width",
            margin=0,
        )

    def draw(self, plot: Plot | None, size: str, highlight: str) -> None:
        """Draw a plot, or hide the figure of one that the picture does not have."""
        self._show(on=plot is not None)
        if plot is None:
            return
        before, self._plot = self._plot, plot
        for name in ("x", "y"):
            axis: Axis = getattr(plot, name)
            if before is None or getattr(before, name) != axis:
                self._fit(name, axis)
        given = {one.role: one for one in plot.marks}
        for role, source in self.sources.items():
            put(source, given[role].columns if role in given else dict.fromkeys(source.data, ()))
        if before is None or before.labels != plot.labels or before.y != plot.y:
            self.labels.items = items_of(plot)
        self._style(size, highlight)

    def _fit(self, name: str, axis: Axis) -> None:
        # Only where the picture's range changes: a person may have zoomed.
        shared = getattr(self.figure, f"{name}_range")
        ends = {"start": axis.low, "end": axis.high}
        shared.update(**ends, **{f"reset_{end}": value for end, value in ends.items()})
        self._tickers.fit(name, axis)

    def _show(self, *, on: bool) -> None:
        # By style sheet: a Bokeh pane of Panel 1.9.4 that was hidden ignores the first "visible".
        wanted = ["lab-plot"] if on else ["lab-plot", _HIDDEN]
        if self.panel.css_classes != wanted:
            self.panel.css_classes = wanted

    def _style(self, size: str, highlight: str) -> None:
        """Set what depends on the place and on the role that stands out."""
        if (size, highlight) == (self._size, self._bold):
            return
        roles = self.renderers if size != self._size else {self._bold, highlight}
        for role in roles:
            if (renderer := self.renderers.get(role)) is not None:
                renderer.glyph.update(
                    **look(STYLES[role], large=size == "present", bold=role == highlight)
                )
        if size != self._size:
            left, right, top, bottom = self._kind.borders
            room = _ROOMIER if size == "present" else 1.0
            borders = round(room * left), right, round(room * top), round(room * bottom)
            self.figure.update(**_borders(borders))
            self.labels.borders = borders
        self._size, self._bold = size, highlight


class BokehPicture:
    """The figures of a kind, above each other; `panel` is to be laid out.

    Attributes
    ----------
    plots : by the names of the kind's plots
    named : sources, ranges, labels and the axis of y with its ticks, as "function.mean",
        "function.y_range", "function.labels", "function.y_axis", "function.y_ticks"
    """

    def __init__(self, kind: Kind, suffix: str = "") -> None:
        x_range, y_range = Range1d(0, 1), Range1d(0, 1)
        self.plots = {
            name: BokehPlot(
                kind.name,
                name,
                plot,
                plot.name + suffix,
                x_range if "x" in kind.shared else Range1d(0, 1),
                y_range if "y" in kind.shared else Range1d(0, 1),
            )
            for name, plot in kind.plots.items()
        }
        self.picture: Picture | None = None
        self.panel = pn.Column(
            *(plot.panel for plot in self.plots.values()),
            css_classes=[f"lab-{kind.name}"],
            sizing_mode="stretch_width",
            margin=0,
        )

    @property
    def named(self) -> dict[str, object]:
        """What a picture sets here, by name."""
        named: dict[str, object] = {}
        for name, plot in self.plots.items():
            named |= {f"{name}.{role}": source for role, source in plot.sources.items()}
            named |= {
                f"{name}.x_range": plot.figure.x_range,
                f"{name}.y_range": plot.figure.y_range,
                f"{name}.y_axis": plot.figure.yaxis[0],
                f"{name}.y_ticks": plot.figure.yaxis[0].ticker,
                f"{name}.labels": plot.labels,
            }
        return named

    @property
    def figures(self) -> tuple[Figure, ...]:
        """From the top down."""
        return tuple(plot.figure for plot in self.plots.values())

    def draw(self, picture: Picture) -> None:
        """Show a picture of this kind, as one message to the browser."""
        with pn.io.hold():
            for name, plot in self.plots.items():
                plot.draw(picture.plots.get(name), picture.size, picture.highlight)
        self.picture = picture


class _Ticks:
    """The ticks of both axes: those of the picture where it names some, else Bokeh's."""

    def __init__(self, figure: Figure, plot: PlotKind) -> None:
        self._axes = {"x": figure.xaxis[0], "y": figure.yaxis[0]}
        self._automatic = {
            name: BasicTicker(desired_num_ticks=count or 1, num_minor_ticks=0)
            for name, count in (("x", plot.x_ticks), ("y", plot.y_ticks))
        }
        for name, axis in self._axes.items():
            axis.ticker = self._automatic[name]

    def fit(self, name: str, axis: Axis) -> None:
        drawn = self._axes[name]
        if not axis.ticks:
            if drawn.ticker is not self._automatic[name]:
                drawn.update(ticker=self._automatic[name], major_label_overrides={})
            return
        labels = dict(axis.ticks)
        ticker = drawn.ticker if isinstance(drawn.ticker, FixedTicker) else FixedTicker()
        ticker.ticks = list(labels)
        drawn.update(ticker=ticker, major_label_overrides=labels)


def _borders(borders: tuple[int, int, int, int]) -> dict[str, int]:
    sides = zip(("left", "right", "top", "bottom"), borders, strict=True)
    return {f"min_border_{side}": width for side, width in sides}


def _figure(kind: str, plot: PlotKind, label: str, x_range: Range1d, y_range: Range1d) -> Figure:
    figure = theme.figure(
        height=plot.height,
        x_range=x_range,
        y_range=y_range,
        html_attributes=theme.region(label),
        css_classes=["lab-plot-figure", f"lab-at-{kind}"],
    )
    figure.update(**_borders(plot.borders))
    figure.xgrid.visible = False
    figure.ygrid.visible = plot.grid
    figure.xaxis.visible, figure.yaxis.visible = plot.x_ticks > 0, plot.y_ticks > 0
    return figure
