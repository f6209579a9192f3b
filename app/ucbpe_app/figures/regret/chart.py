"""A chart over the iterations: strong where measured, faint ahead, on a linear or a log axis."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import panel as pn
from bokeh.models import AdaptiveTicker, ColumnDataSource, Range1d

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.regret.pinned import LOOK, PinnedCurves
from ucbpe_app.figures.regret.value_axis import ValueAxis
from ucbpe_app.figures.sources import put
from ucbpe_app.markup import Markup
from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure

    from ucbpe_core.validation import Floats

_CSS = Path(__file__).with_name("regret.css").read_text(encoding="utf-8")
AHEAD = 0.35  # opacity of what is still ahead
_FLAT = 4  # a curve this many times lower than the axis lies flat at its bottom


class Symbol(NamedTuple):
    """A symbol of the paper: HTML as text, and a formula in the notation of Matplotlib."""

    letter: str
    superscript: str
    subscript: str

    def __str__(self) -> str:
        above = [self.superscript] if self.superscript else []
        scripts = "".join(f"<span>{script}</span>" for script in (*above, self.subscript))
        kind = "scripts" if above else "scripts low"
        return f'<i>{self.letter}</i><span class="{kind}">{scripts}</span>'

    @property
    def formula(self) -> str:
        above = f"^{{{self.superscript}}}" if self.superscript else ""
        return f"${self.letter}{above}_{{{self.subscript}}}$"


@dataclass(frozen=True)
class Curve:
    """A column to draw: what it is in words and in the paper's symbol, and its look."""

    column: str
    words: str
    symbol: Symbol | str
    mark: theme.Mark
    dots: bool = False
    step: bool = False

    @property
    def shapes(self) -> legends.Shapes:
        """The curve in small, for a legend."""
        color = self.mark.color
        if self.step:
            return legends.polyline(color, ((-11, 4), (0, 4), (0, -4), (11, -4)))
        dots = legends.point(self.mark.marker, color) if self.dots else ()
        return legends.stroke(color, self.mark.dash) + dots


class IterationChart:
    """One panel: a heading that is the legend, and a figure.

    Attributes
    ----------
    ahead, done : the whole run, and its measured part, at their places on the axis
    references : curves that do not depend on the step, as those
    now : the batch on screen
    """

    def __init__(
        self, title: str, curves: tuple[Curve, ...], references: tuple[Curve, ...] = ()
    ) -> None:
        self._title, self._curves, self._references = title, curves, references
        self._values: dict[str, Floats] = {}
        self._given: dict[str, Floats] = {}
        self._pinned: tuple[dict[str, Floats], str] = ({}, "")
        self._layers = Layers()
        self._tops = [0.0]
        self.ahead, self.done = _source(curves), _source(curves)
        self.references = _source(references)
        self.now = ColumnDataSource({"t": []})
        self._reference_lines: dict[str, GlyphRenderer] = {}
        self.figure = self._plot()
        self._axis = ValueAxis(self.figure, ticks=4)
        self.pinned = PinnedCurves(self.figure, curves)
        self._heading = text("regret-heading", "")
        self.panel = pn.Column(self._heading, pane(self.figure), **layout("regret-chart"))
        self._arrange()

    def load(self, values: Mapping[str, Floats]) -> None:
        """Draw other curves, shape (T,) each; the references are gone."""
        self._values, self._given = dict(values), {}
        self.done.data = {name: [] for name in self.done.data}
        self._fit()
        self.figure.x_range.end = len(self.ahead.data["t"]) + 0.5

    def clear(self) -> None:
        """Keep what is pinned or chosen from now on until `load`, which draws all of it once."""
        self._values = {}

    def pin(self, values: Mapping[str, Floats], label: str) -> None:
        """Draw the curves of a pinned run behind, shape (T',) each, or none."""
        before, self._pinned = self._pinned, (dict(values), label)
        if self._values and (values or before[0]):
            self._fit()

    def update(self, t: int, done: int) -> None:
        """Draw the first `done` batches strong, and mark batch t."""
        if len(self.done.data["t"]) != done:
            self._draw_done(done)
        put(self.now, {"t": [t]})

    def refer(self, given: Mapping[str, Floats]) -> None:
        """Draw these references, shape (T,) each, and no others."""
        self._given = dict(given)
        self._refer()
        self._arrange()

    def show(self, layers: Layers) -> None:
        """Choose the axis, and whether the references are shown."""
        before, self._layers = self._layers, layers
        if not self._values:
            return
        if layers.log != before.log:
            self._fit()
        elif layers.bounds != before.bounds:
            self._arrange()

    def _fit(self) -> None:
        """Draw all curves, those of a pinned run too, on an axis that holds them."""
        behind = self._pinned[0]
        columns = [*self._values.values(), *behind.values()]
        self._axis.fit(np.concatenate(columns), log=self._layers.log)
        self._tops = [float(column.max()) for column in columns]
        done = len(self.done.data["t"])
        self.ahead.data = self._columns(self._values)
        self._draw_done(done)
        self._refer()
        self.pinned.draw(self._columns(behind) if behind else None)
        self._arrange()

    def _draw_done(self, done: int) -> None:
        put(self.done, {name: column[:done] for name, column in self.ahead.data.items()})

    def _refer(self) -> None:
        missing = np.full(len(self.ahead.data["t"]), np.nan)
        names = [curve.column for curve in self._references]
        self.references.data = self._columns({n: self._given.get(n, missing) for n in names})

    def _plot(self) -> figure:
        plot = theme.figure(
            "iteration t",
            "regret (units of f)",
            height=190,
            css_classes=["regret-plot"],
            x_range=Range1d(0.5, 1.5),
            y_range=Range1d(0, 1),
            min_border_left=74,  # the frames stay level when stacked, and when the axis changes
        )
        plot.xaxis.ticker = AdaptiveTicker(desired_num_ticks=8, min_interval=1, num_minor_ticks=0)
        plot.axis.axis_label_standoff = 4
        now = theme.Mark(theme.INK, dash="dashed")
        plot.vspan("t", source=self.now, **now.line(line_width=1.5, name="now"))
        for curve in self._references:
            line = plot.line("t", curve.column, source=self.references, **curve.mark.line())
            self._reference_lines[curve.column] = line
        for source, alpha in ((self.ahead, AHEAD), (self.done, 1.0)):
            for curve in reversed(self._curves):  # the first is drawn last, on top
                _draw(plot, curve, source, alpha)
        return plot

    def _columns(self, values: Mapping[str, Floats]) -> dict[str, Any]:
        t = np.arange(1, len(next(iter(values.values()), ())) + 1)
        return {"t": t, **{name: self._axis.place(column) for name, column in values.items()}}

    def _arrange(self) -> None:
        """Fit axes and heading to what is shown."""
        shown = [c for c in self._references if self._layers.bounds and c.column in self._given]
        for name, line in self._reference_lines.items():
            line.visible = name in {curve.column for curve in shown}
        bound = max((float(self._given[curve.column].max()) for curve in shown), default=0.0)
        top = max(*self._tops, bound) or 1.0
        self._axis.reach(top)
        flat = bool(shown) and not self._layers.log and top > _FLAT * min(self._tops)
        pinned = self._pinned[1] if self._pinned[0] else ""
        curves = (*self._curves, *shown)
        self._heading.object = _heading(self._title, curves, flat=flat, pinned=pinned)


def _draw(plot: figure, curve: Curve, source: ColumnDataSource, alpha: float) -> None:
    places, line = ("t", curve.column), curve.mark.line(line_alpha=alpha)
    if curve.step:
        plot.step(*places, source=source, mode="after", **line)
    else:
        plot.line(*places, source=source, **line)
    if curve.dots:
        plot.scatter(*places, source=source, alpha=alpha, **curve.mark.point(6, line_width=1))


def _source(curves: tuple[Curve, ...]) -> ColumnDataSource:
    return ColumnDataSource({name: [] for name in ("t", *(curve.column for curve in curves))})


def _heading(title: str, curves: tuple[Curve, ...], *, flat: bool, pinned: str) -> str:
    """Title and legend; `flat` advises to change the axis, `pinned` names the run behind."""
    entries = "".join(
        f"<li>{legends.swatch(curve.shapes)}<span>{curve.words} {curve.symbol}</span></li>"
        for curve in curves
    )
    if pinned:
        line = legends.stroke(LOOK["line_color"], LOOK["line_dash"], LOOK["line_width"])
        entries += f"<li>{legends.swatch(line)}<span>{escape(pinned)}</span></li>"
    advice = "<p>Too low to tell apart: try a log axis.</p>" if flat else ""
    return f"<h3>{title}</h3><ul>{entries}</ul>{advice}"


def text(name: str, html: str) -> Markup:
    """Return words in the style that regret.css gives to the class `name`."""
    return Markup(html, margin=0, **layout(name))


def layout(name: str) -> dict[str, Any]:
    """Return the options of a component with one of the classes of regret.css."""
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
