"""The one renderer for the browser: fixed Bokeh figures whose columns follow a picture.

The figures of a kind are built once. A picture replaces columns, ranges and labels; here alone what
is drawn is compared with what comes, and what is the same is not sent.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.core.property.validation import validate
from bokeh.models import LinearColorMapper, Range1d

from ucbpe_app import theme
from ucbpe_app.pictures.looks import STYLES
from ucbpe_app.render import figures as dark
from ucbpe_app.render.figures import Ticks, bar_of, borders_of, figure_of, source_of
from ucbpe_app.render.glyphs import LARGER, draw, look, outline_of
from ucbpe_app.render.legends import Labels, items_of
from ucbpe_app.render.sending import Shared, lighten, pane, put
from ucbpe_app.run.sentences.texts import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bokeh.models import ColumnDataSource, GlyphRenderer
    from bokeh.plotting import figure as Figure

    from ucbpe_app.pictures.picture import Axis, Colors, Kind, Mark, Picture, Plot, PlotKind

_HIDDEN = "lab-plot-hidden"
_CLEAR = "#00000000"  # of a value that is not there
# In a column of a given height, which sets `--fill: 1`, `--basis: 0px` and `--filled: 100%`, charts
# share what the other parts leave of it, in proportion to their own heights. `OWN_HEIGHT` are the
# styles of a part of it whose charts keep theirs.
OWN_HEIGHT = {"--fill": "0", "--basis": "auto", "--filled": "initial"}
_FILLING = "lab-filling"
_FILLING_CSS = f"""
:host(.{_FILLING}) {{
  flex: calc(var(--weight) * var(--fill, 0)) 0 var(--basis, auto) !important;
  min-height: auto !important;
}}
"""
_CSS = f"""
:host(.lab-plot) {{
  position: relative;
  container-type: inline-size;
  min-height: calc(var(--weight) * var(--fill, 0) * var(--least, 0.6px)) !important;
}}
:host(.{_HIDDEN}) {{ display: none !important; }}
.lab-plot-figure {{
  flex: none !important;
  width: calc(100% - var(--label-column, 0px)) !important;
  --own-height: var(--filled, var(--plot-height));
  height: var(--own-height) !important;
}}
/* Where the plot is wide enough, labels of lines have a column right of it. */
@container (min-width: 560px) {{
  .lab-plot-figure, .lab-labels {{ --label-column: var(--labels, 8.5rem); }}
}}
/* Where it is not, labels of curves and strips are above them, with a sign of what they name. */
@container (max-width: 559px) {{
  .lab-plot-figure {{
    height: calc(var(--own-height) - var(--keys, 0px) * var(--keys-within, 0)) !important;
    margin-top: var(--keys, 0px) !important;
  }}
}}
:host(.lab-plot-function), :host(.lab-plot-proved) {{ --keys: 40px; }}
:host(.lab-plot-region) {{ --keys: 20px; }}
"""


def filling(*kinds: Kind) -> dict[str, Any]:
    """The options of a column that shares a height as pictures of these kinds do."""
    height = sum(plot.height for kind in kinds for plot in kind.plots.values())
    sheets, styles = [_FILLING_CSS], {"--weight": f"{height}"}
    return {"css_classes": [_FILLING], "stylesheets": sheets, "styles": styles}


ROOMIER = 1.5  # times the borders, where the ticks are larger


class BokehPlot:
    """One figure, with a renderer and a source for each role of its kind."""

    def __init__(
        self,
        name: str,
        plot: PlotKind,
        figure: Figure,
        source: Callable[[str], ColumnDataSource],
        shared: Shared,
        *,
        first: bool,
    ) -> None:
        self._kind, self.figure = plot, figure
        self._source, self._shared = source, shared
        self.colors = LinearColorMapper(palette=theme.FIELD, low=0, high=1, nan_color=_CLEAR)
        self.sources: dict[str, ColumnDataSource] = {}
        self.renderers: dict[str, tuple[GlyphRenderer, ...]] = {}
        for role in plot.roles:
            if role not in plot.rare:
                self._make(role)
        self._bar = bar_of(self.colors, fixed=plot.bar_ticks) if plot.bar else None
        if self._bar is not None:
            figure.add_layout(self._bar, "right")
        self.labels = Labels(borders=plot.borders)
        self.ticks = Ticks(self.figure, plot)
        self._plot: Plot | None = None
        self._size, self._bold, self._dark = "step", "", False
        self._shown = ["lab-plot", f"lab-plot-{name}", _FILLING]
        # The first plot takes the place of plots that are not drawn.
        free = "var(--free-height, 0px)" if first else "0px"
        self.panel = pn.Column(
            pane(self.figure, shared, margin=0),
            self.labels,
            css_classes=self._shown,
            stylesheets=[_FILLING_CSS, _CSS],
            styles={
                "--weight": f"{plot.height}",
                "--plot-height": f"calc(var(--{name}-height, {plot.height}px) + {free})",
                **({} if plot.ends else {"--labels": "0px"}),
            },
            sizing_mode="stretch_width",
            margin=0,
        )

    @property
    def colored(self) -> bool:
        """Whether its pictures have colours of values."""
        styles = (STYLES[role] for role in self.sources)
        columns = (name for style in styles for name in style.columns)
        return self._kind.bar or not {"image", "value"}.isdisjoint(columns)

    def draw(self, plot: Plot | None, size: str, highlight: str) -> None:
        """Draw a plot, or hide the figure of one that the picture does not have."""
        self._show(on=plot is not None)
        if plot is None:
            return
        self._style(size, highlight)
        before, self._plot = self._plot, plot
        for name in ("x", "y"):
            axis: Axis = getattr(plot, name)
            if before is None or getattr(before, name) != axis:
                self._fit(name, axis)
        marks = {mark.role: mark for mark in plot.marks}
        if late := self._kind.rare & marks.keys() - self.sources.keys():
            self._make_late(late)
        for role, source in self.sources.items():
            empty = dict.fromkeys(source.data, ())
            put(source, self._columns(marks[role]) if role in marks else empty)
        if plot.colors is not None:
            self._color(plot.colors, before.colors if before else None)
        if before is None or before.labels != plot.labels or before.y != plot.y:
            titles = (label.text for label in plot.labels if label.place == "title")
            press = say("label.press", map=next(titles, "")) if self._kind.press else ""
            self.labels.param.update(items=items_of(plot), press=press)

    def _make(self, role: str) -> None:
        source = self.sources[role] = self._source(role)
        drawn = self._drawn(role, source)
        self.renderers[role] = draw(self.figure, STYLES[role], drawn, self.colors)

    def _drawn(self, role: str, source: ColumnDataSource) -> ColumnDataSource:
        """What a role is drawn from: its columns, or an outline that is made once."""
        if STYLES[role].shape != "contour":
            return source
        outlines = self._shared.outlines
        if source.id not in outlines:
            outlines[source.id] = outline_of(source, self.figure)
        return outlines[source.id]

    def _make_late(self, roles: Iterable[str]) -> None:
        """Make what draws rare roles, below the roles that lie above them."""
        document = self.figure.document
        # Else Bokeh would look for the models of the whole page after each of a dozen changes.
        with nullcontext() if document is None else document.models.freeze():
            for role in roles:
                self._make(role)
                self._look(role)
            drawn = (self.renderers.get(name, ()) for name in self._kind.roles)
            self.figure.renderers = [renderer for group in drawn for renderer in group]
            lighten(self.figure, self._shared)

    def _fit(self, name: str, axis: Axis) -> None:
        # Only where the picture's range changes: a person may have zoomed.
        shared = getattr(self.figure, f"{name}_range")
        ends = {"start": axis.low, "end": axis.high}
        shared.update(**ends, **{f"reset_{end}": value for end, value in ends.items()})
        self.ticks.fit(name, axis)

    def _color(self, colors: Colors, before: Colors | None) -> None:
        self.colors.update(low=colors.low, high=colors.high)
        if before is None or before.palette != colors.palette:
            with validate(False):  # of each color, which takes as long as a step
                self.colors.palette = theme.PALETTES[colors.palette]
        if self._bar is not None and colors.ticks and (before is None or before != colors):
            labels = dict(colors.ticks)
            self._bar.ticker.ticks = list(labels)
            self._bar.major_label_overrides = labels

    def _show(self, *, on: bool) -> None:
        # By style sheet: a Bokeh pane of Panel 1.9.4 that was hidden ignores the first "visible".
        wanted = self._shown if on else [*self._shown, _HIDDEN]
        if self.panel.css_classes != wanted:
            self.panel.css_classes = wanted

    def _style(self, size: str, highlight: str) -> None:
        """Set what depends on the place, on the theme and on the role that stands out."""
        before, now = (self._size, self._bold, self._dark), (size, highlight, dark.is_dark())
        if before == now:
            return
        self._size, self._bold, self._dark = now
        whole = (size, self._dark) != (before[0], before[2])
        for role in self.renderers if whole else {before[1], highlight}:
            self._look(role)
        if size != before[0]:
            room = ROOMIER if size == "present" else 1.0
            left, right, top, bottom = (round(room * border) for border in self._kind.borders)
            borders = left, right, top, bottom
            self.figure.update(**borders_of(borders))
            self.labels.borders = borders

    def _look(self, role: str) -> None:
        """Set how a role is drawn."""
        drawn = self.renderers.get(role, ())
        options = {
            "large": self._size == "present", "bold": role == self._bold, "dark": self._dark,
        }  # fmt: skip
        for i, renderer in enumerate(drawn):
            under = i < len(drawn) - 1
            renderer.glyph.update(**look(STYLES[role], under=under, **options))

    def _columns(self, mark: Mark) -> dict[str, Any]:
        """The columns of a mark as Bokeh has them: an image is an entry of a list."""
        columns: dict[str, Any] = {
            name: list(column) if column.ndim > 1 else column
            for name, column in mark.columns.items()
        }
        if "size" in columns and self._size == "present":
            columns["size"] = LARGER * np.asarray(columns["size"])
        if self._dark:
            columns |= {name: dark.in_dark(columns[name]) for name in dark.COLORS & columns.keys()}
        return columns


class BokehPicture:
    """The figures of a kind, above each other; `panel` is to be laid out.

    Attributes
    ----------
    plots : by the names of the kind's plots
    named : sources, ranges, labels and the axis of y with its ticks, as "function.mean",
        "function.y_range", "function.labels", "function.y_axis", "function.y_ticks"
    """

    def __init__(self, kind: Kind) -> None:
        ranges = {axis: Range1d(0, 1) for axis in kind.shared & {"x", "y"}}
        shared = Shared()
        make = partial(source_of, selected=shared.nothing)
        common = cache(make)

        def figure(plot: PlotKind) -> Figure:
            x, y = (ranges.get(axis) or Range1d(0, 1) for axis in "xy")
            return figure_of(kind.name, plot, plot.name, x, y)

        def source(role: str) -> ColumnDataSource:
            return common(role) if role in kind.shared else make(role)

        self.plots = {
            name: BokehPlot(name, plot, figure(plot), source, shared, first=i == 0)
            for i, (name, plot) in enumerate(kind.plots.items())
        }
        self.picture: Picture | None = None
        dark.follow(self.redraw)
        self._class = f"lab-{kind.name}"
        layout = Path(__file__).with_name(f"{kind.name}.css")
        self._placed = layout.exists()  # by a style sheet of the kind, and not above each other
        options = filling(kind)
        self._classes = [self._class, *([] if self._placed else options["css_classes"])]
        self._weight = options["styles"]
        self.panel = self._laid_out = _column(
            *(plot.panel for plot in self.plots.values()),
            **{**options, "css_classes": self._classes},
        )
        if self._placed:  # what is inside asks how wide the outer column is
            sheet = layout.read_text(encoding="utf-8")
            self._laid_out.stylesheets = [sheet]
            self.panel = _column(
                self._laid_out, css_classes=[f"{self._class}-whole"], stylesheets=[sheet]
            )

    def on_press(self, press: Callable[[str], None]) -> None:
        """Have `press` called with the name of a plot at which a person pressed."""
        for name, plot in self.plots.items():
            plot.labels.on_press = partial(press, name)

    def follow(self, other: BokehPicture) -> None:
        """Share the axes with another picture of the kind, so that both pan and zoom together."""
        for own, theirs in zip(self.figures, other.figures, strict=True):
            own.x_range, own.y_range = theirs.x_range, theirs.y_range

    @property
    def named(self) -> dict[str, object]:
        """What a picture sets here, by name; a source that plots share by the first of them."""
        named: dict[str, object] = {}
        for name, plot in self.plots.items():
            ids = {id(model) for model in named.values()}
            new = ((role, source) for role, source in plot.sources.items() if id(source) not in ids)
            named |= {f"{name}.{role}": source for role, source in new}
            named |= {
                f"{name}.x_range": plot.figure.x_range,
                f"{name}.y_range": plot.figure.y_range,
                f"{name}.labels": plot.labels,
            }
            if (axis := plot.ticks.axes.get("y")) is not None:
                named |= {f"{name}.y_axis": axis, f"{name}.y_ticks": axis.ticker}
            if plot.colored:
                named[f"{name}.colors"] = plot.colors
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
            shown = (f"lab-has-{name}" for name in picture.plots)
            has = [*self._classes, f"lab-for-{picture.size}", *shown]
            if self._laid_out.css_classes != has:
                self._laid_out.css_classes = has
                free = [] if self._placed else sorted(self.plots.keys() - picture.plots)
                height = " + ".join(["0px", *(f"var(--{name}-height, 0px)" for name in free)])
                self._laid_out.styles = {**self._weight, "--free-height": f"calc({height})"}
        self.picture = picture

    def redraw(self) -> None:
        """Draw the same picture as the page now is."""
        if self.picture is not None:
            self.draw(self.picture)


def _column(*parts: Any, **options: Any) -> pn.Column:
    return pn.Column(*parts, sizing_mode="stretch_width", margin=0, **options)
