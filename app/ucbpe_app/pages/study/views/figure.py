"""One chart: drawn by HoloViews once for its policies, then filled again and again.

HoloViews takes a tenth of a second for a chart, in which nobody else's page could step: it draws in
a thread (see `build`). Whatever comes later, another problem, another scale or the next result of
a study that runs, replaces the data of the glyphs, which its hooks hand out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import AdaptiveTicker, BasicTicker, FixedTicker, HoverTool, Range1d

from ucbpe_app import theme
from ucbpe_app.line_styles import HOLOVIEWS
from ucbpe_app.pages.study.views.scale import Scale

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from bokeh.plotting import figure as bokeh_figure

    from ucbpe_app.line_styles import ScreenLineStyle
    from ucbpe_app.pages.study.picture import StudyChart
    from ucbpe_app.report.records import Curve

_BAND = 0.16  # opacity, as in a report: four bands on top of each other still show their edges
_TOOLTIPS = [
    ("policy", "$name"),
    ("t", "@t"),
    ("mean", "@exact{%.3g}"),
    ("interval", "@low{%.3g} to @high{%.3g}"),
]


@dataclass
class Figure:
    """A chart on screen, and the handles of what is drawn in it."""

    plot: bokeh_figure
    looks: Mapping[str, ScreenLineStyle]
    lines: dict[str, Any] = field(default_factory=dict)
    bands: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, Any] = field(default_factory=dict)
    zero: Any = None
    linear: Any = field(default_factory=lambda: BasicTicker(desired_num_ticks=5, num_minor_ticks=0))
    log: Any = field(default_factory=FixedTicker)

    def suits(self, looks: Mapping[str, ScreenLineStyle], marked: Collection[str]) -> bool:
        """Whether these policies can be drawn here, in these looks and with these marks."""
        return list(looks.items()) == list(self.looks.items()) and set(marked) <= set(self.marks)

    def fill(self, chart: StudyChart) -> None:
        """Draw this chart in the place of the last one."""
        scale = Scale(chart)
        for policy, handles in self.lines.items():
            curve = chart.curves.get(policy)
            handles["source"].data = _line(handles["glyph"], curve, scale)
            band = self.bands[policy]
            band["source"].data = _band(band["glyph"], curve, scale)
            mark = self.marks.get(policy)
            if mark:
                mark["source"].data = _mark(mark["glyph"], curve, chart.marks.get(policy), scale)
        self.zero["glyph"].visible = bool(chart.reference)
        what = "difference" if chart.reference else "regret"
        self.plot.yaxis.axis_label = f"{what} (units of f)"
        last = max((int(one.t[-1]) for one in chart.curves.values()), default=1)
        self.plot.x_range.update(start=1, end=max(last, 2))
        scale.apply(self.plot, self.linear, self.log)


def warm_up() -> None:
    """Import HoloViews, which takes a second or two. Not on the event loop."""
    import holoviews as hv

    with HOLOVIEWS:
        hv.renderer("bokeh")


def build(looks: Mapping[str, ScreenLineStyle], marked: Collection[str]) -> Figure:
    """An empty chart for policies in these looks, the first on top; those `marked` can have a mark.

    Takes some 100 ms, and a second or two the first time: not on the event loop.
    """
    # Imported here: it takes a second, and none of the other pages needs it.
    import holoviews as hv

    figure = Figure(None, dict(looks))
    with HOLOVIEWS:
        # HoloViews would give its theme to the current document: that of whichever visitor is
        # being answered at this moment, in the thread of the event loop.
        renderer = hv.renderer("bokeh").instance(theme=None)
        elements = [_zero(hv, figure)]
        order = list(looks.items())[::-1]
        elements += [_band_of(hv, figure, name, pen) for name, pen in order]
        elements += [_line_of(hv, figure, name, pen) for name, pen in order]
        elements += [_mark_of(hv, figure, name, pen) for name, pen in order if name in marked]
        overlay = hv.Overlay(elements).opts(
            backend="bokeh", show_legend=False, toolbar=None, responsive=True,
            min_height=180, show_grid=True, xlim=(1, 2), ylim=(0, 1),
        )  # fmt: skip
        figure.plot = renderer.get_plot(overlay).state
    _style(figure)
    return figure


def _line(glyph: Any, curve: Curve | None, scale: Scale) -> dict[str, Any]:
    """Where the line is drawn, and what a pointer at it tells."""
    if curve is None:
        return {name: [] for name in (glyph.x, glyph.y, "exact", "low", "high")}
    placed = {glyph.x: curve.t, glyph.y: scale.place(curve.mean)}
    return {**placed, "exact": curve.mean, "low": curve.low, "high": curve.high}


def _band(glyph: Any, curve: Curve | None, scale: Scale) -> dict[str, Any]:
    """The outline of the band; none for a single replicate."""
    if curve is None or np.isnan(curve.low).any():
        return {glyph.x: [], glyph.y: []}
    there, back = scale.place(curve.low), scale.place(curve.high)[::-1]
    return {
        glyph.x: np.concatenate([curve.t, curve.t[::-1]]),
        glyph.y: np.concatenate([there, back]),
    }


def _mark(glyph: Any, curve: Curve | None, t: float | None, scale: Scale) -> dict[str, Any]:
    if curve is None or not t:
        return {glyph.x: [], glyph.y: []}
    height = np.interp([t], curve.t, scale.place(curve.mean))
    return {glyph.x: [t], glyph.y: height}


def _zero(hv: Any, figure: Figure) -> Any:
    def keep(plot: Any, _: Any) -> None:
        figure.zero = plot.handles

    line = {"color": theme.INK, "line_width": 1, "line_dash": "solid"}
    return hv.HLine(0).opts(backend="bokeh", hooks=[keep], **line)


def _band_of(hv: Any, figure: Figure, policy: str, pen: ScreenLineStyle) -> Any:
    return hv.Area(([], [], []), "t", ["low", "high"]).opts(
        backend="bokeh", hooks=[_keep(figure.bands, policy)], color=pen.color, alpha=_BAND,
        line_width=0,
    )  # fmt: skip


def _line_of(hv: Any, figure: Figure, policy: str, pen: ScreenLineStyle) -> Any:
    return hv.Curve(([], []), "t", "regret").opts(
        backend="bokeh", hooks=[_keep(figure.lines, policy)], color=pen.color,
        line_dash=list(pen.dash), line_width=2,
    )  # fmt: skip


def _mark_of(hv: Any, figure: Figure, policy: str, pen: ScreenLineStyle) -> Any:
    return hv.Scatter(([], []), "t", "regret").opts(
        backend="bokeh", hooks=[_keep(figure.marks, policy)], line_color=pen.color,
        fill_alpha=0, line_width=2, size=10,
    )  # fmt: skip


def _keep(handles: dict[str, Any], policy: str) -> Callable[[Any, Any], None]:
    def keep(plot: Any, _: Any) -> None:
        handles[policy] = plot.handles

    return keep


def _style(figure: Figure) -> None:
    """What all views share (see `theme.figure`), and what a pointer at a line tells."""
    plot = figure.plot
    plot.update(
        background_fill_alpha=0, border_fill_alpha=0, outline_line_color=None, min_border=8,
        min_border_left=64, css_classes=["study-plot"], sizing_mode="stretch_both",
        output_backend="canvas",  # not WebGL, of which a browser has but a few
    )  # fmt: skip
    plot.x_range, plot.y_range = Range1d(1, 2), Range1d(0, 1)
    plot.axis.minor_tick_in = plot.axis.minor_tick_out = 0
    plot.axis.major_tick_in, plot.axis.major_tick_out = 0, 4
    plot.xaxis.axis_label = "iteration t"
    iterations = AdaptiveTicker(desired_num_ticks=7, min_interval=1, num_minor_ticks=0)
    plot.xaxis.ticker = plot.xgrid.ticker = iterations
    renderers = []
    for policy, handles in figure.lines.items():
        renderer = handles["glyph_renderer"]
        renderer.name = policy
        renderers.append(renderer)
    formats = {f"@{name}": "printf" for name in ("exact", "low", "high")}
    hover = HoverTool(renderers=renderers, tooltips=_TOOLTIPS, formatters=formats)
    plot.toolbar.tools = [hover]  # without HoloViews' own: the wheel scrolls the page
