"""A chart over t: a heading that is the legend, and a figure; what all such charts share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import panel as pn
from bokeh.events import Tap
from bokeh.models import AdaptiveTicker, ColumnDataSource, CrosshairTool, Range1d

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.regret.pinned import LOOK
from ucbpe_app.figures.regret.value_axis import ValueAxis
from ucbpe_app.figures.sources import put
from ucbpe_app.markup import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bokeh.models import GlyphRenderer

_CSS = Path(__file__).with_name("regret.css").read_text(encoding="utf-8")
_NOW = theme.Mark(theme.INK, dash="dashed")
_AIM = {"line_color": theme.INK, "line_alpha": 0.6}  # under the pointer: a click goes there


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


class TimeChart:
    """A figure over t = 1 .. T below a heading that is its legend, and a marked batch.

    Attributes
    ----------
    figure, axis : without curves, and its axis of y
    heading : HTML
    now : the batch that is marked, if any
    """

    def __init__(self, label: str, x_range: Range1d | None = None) -> None:
        self.now = ColumnDataSource({"t": []})
        self.figure = theme.figure(
            "iteration t",
            label,
            height=190,
            css_classes=["regret-plot"],
            x_range=x_range or Range1d(0.5, 1.5),
            y_range=Range1d(0, 1),
            min_border_left=74,  # the frames stay level when stacked, and when the axis changes
        )
        self.figure.xaxis.ticker = AdaptiveTicker(
            desired_num_ticks=8, min_interval=1, num_minor_ticks=0
        )
        self.figure.axis.axis_label_standoff = 4
        self.figure.vspan("t", source=self.now, **_NOW.line(line_width=1.5, name="now"))
        self.axis = ValueAxis(self.figure, ticks=4)
        self.heading = text("regret-heading", "")

    @cached_property
    def panel(self) -> pn.Column:
        """To be laid out once all is drawn."""
        return pn.Column(self.heading, pane(self.figure), **layout("regret-chart"))

    def draw(self, curve: Curve, source: ColumnDataSource, alpha: float = 1.0) -> GlyphRenderer:
        """Draw a curve from the column of its name; the line is returned."""
        plot, places = self.figure, ("t", curve.column)
        look = curve.mark.line(line_alpha=alpha)
        if curve.step:
            line = plot.step(*places, source=source, mode="after", **look)
        else:
            line = plot.line(*places, source=source, **look)
        if curve.dots:
            plot.scatter(*places, source=source, alpha=alpha, **curve.mark.point(6, line_width=1))
        return line

    def aim(self, on_select: Callable[[int], None]) -> None:
        """Have a click tell the nearest iteration; a line under the pointer announces it."""

        def tapped(event: Tap) -> None:
            # A click beside the axes has no place in the data.
            if event.x is not None and isfinite(event.x):
                last = int(self.figure.x_range.end)  # of a range that ends at T + 1/2
                on_select(min(max(round(event.x), 1), last))

        self.figure.on_event(Tap, tapped)
        # Bokeh leaves no other say over the cursor.
        self.figure.add_tools(CrosshairTool(dimensions="height", **_AIM))

    def mark(self, t: int | None) -> None:
        """Mark a batch, or none."""
        put(self.now, {"t": [] if t is None else [t]})


def source_of(curves: Iterable[Curve]) -> ColumnDataSource:
    """A source for curves, with nothing to draw yet."""
    return ColumnDataSource({name: [] for name in ("t", *(curve.column for curve in curves))})


def heading(title: str, curves: Iterable[Curve], *, flat: bool = False, pinned: str = "") -> str:
    """Title and legend; `flat` advises to change the axis, `pinned` names the run behind."""
    entries = "".join(
        f"{legends.item(curve.words)}{legends.swatch(curve.shapes)}"
        f"<span>{curve.words} {curve.symbol}</span></li>"
        for curve in curves
    )
    if pinned:
        line = legends.stroke(LOOK["line_color"], LOOK["line_dash"], LOOK["line_width"])
        name = escape(pinned)  # of any length: beside the chart there is another
        entries += f'<li class="long" title="{name}">{legends.swatch(line)}<span>{name}</span></li>'
    advice = "<p>Too low to tell apart: try a log axis.</p>" if flat else ""
    return f"<h3>{title}</h3><ul>{entries}</ul>{advice}"


def text(name: str, html: str) -> Markup:
    """Return words in the style that regret.css gives to the class `name`."""
    return Markup(html, margin=0, **layout(name))


def layout(name: str) -> dict[str, Any]:
    """Return the options of a component with one of the classes of regret.css."""
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
