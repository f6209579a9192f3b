"""The regret of each batch, and the cumulative regret: strong where measured, faint ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.ticker import MaxNLocator

from ucbpe_app import theme
from ucbpe_app.export.printing import legend
from ucbpe_app.export.printing.sheet import PrintedPage
from ucbpe_app.export.printing.style import PT
from ucbpe_app.figures import legends
from ucbpe_app.pictures.chart import Values
from ucbpe_app.pictures.regret import CUMULATIVE, SIMPLE, curves_of
from ucbpe_app.plots import Chart, Line, LineStyle, Moment
from ucbpe_app.plots.prints import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import holoviews as hv

    from ucbpe_app.export.sheet import FigureRequest
    from ucbpe_app.figures.legends import Entry
    from ucbpe_core.validation import Floats

_LEFT, _WIDTH, _HEIGHT, _PITCH = 1.9, 6.5, 4.5, 8.2  # cm
_AHEAD = 0.35  # opacity of what is still ahead
_NOW = theme.Mark(theme.INK, dash="dashed")


class _Curve(NamedTuple):
    """A column to draw: what it is in words and as a formula, and its look."""

    column: str
    words: str
    formula: str
    mark: theme.Mark
    dots: bool = False
    step: bool = False

    @property
    def shapes(self) -> legends.Shapes:
        color = self.mark.color
        if self.step:
            return legends.polyline(color, ((-11, 4), (0, 4), (0, -4), (11, -4)))
        dots = legends.point(self.mark.marker, color) if self.dots else ()
        return legends.stroke(color, self.mark.dash) + dots


_BLUE, _EVERY = theme.Mark(theme.BLUE), theme.Mark(theme.ORANGE, marker="square")
_SIMPLE = (
    _Curve("simple", "best of the batch", "$r^{K}_{t}$", _BLUE, dots=True),
    _Curve("running", "best so far", "", theme.Mark(theme.GREEN), step=True),
)
_CUMULATIVE = (
    _Curve("batch", "best of each batch", "$R^{K}_{T}$", _BLUE, dots=True),
    _Curve("full", "every pick", "$R_{TK}$", _EVERY, dots=True),
)
_BOUNDS = (
    _Curve("printed", "printed bound on", "$R^{K}_{T}$", theme.Mark(theme.INK, dash="dashed")),
    _Curve("proved", "proved bound on", "$R^{K}_{T}$", theme.Mark(theme.INK, dash="dotted")),
)


def regret(request: FigureRequest) -> PrintedPage:
    """The page of an event."""
    scene, bounds = request.replay.scene, _bounds(request)
    shown = [curve for curve in _BOUNDS if curve.column in bounds]
    simple, batch = curves_of(SIMPLE, scene), curves_of(CUMULATIVE, scene)
    panels = (
        (
            "Regret of each batch",
            _SIMPLE,
            dict(zip(("simple", "running"), simple, strict=True)),
            {},
        ),
        (
            "Cumulative regret",
            (*_CUMULATIVE, *shown),
            dict(zip(("batch", "full"), batch, strict=True)),
            bounds,
        ),
    )
    entries = [_entries(curves) for _, curves, _, _ in panels]
    top = 2.2 + max(legend.height(one, _WIDTH) for one in entries)
    page = PrintedPage(request, height=top + 7.1)
    for i, (title, curves, values, given) in enumerate(panels):
        left = _LEFT + _PITCH * i
        page.heading(title, left, 1.45)
        legend.write(page.figure, entries[i], left, 1.9, _WIDTH)
        chart, ticks = _chart(request, curves, values, given)
        axes = page.chart(chart, left, top, _WIDTH, _HEIGHT)
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        if ticks:
            axes.set_yticks(list(ticks), labels=list(ticks.values()))
    page.note("Faint: batches still ahead. Dashed vertical line: the batch shown.", top + 5.7)
    return page


def _bounds(request: FigureRequest) -> dict[str, Floats]:
    """The bounds of Theorem 1 that are shown, by column."""
    found = request.bounds
    if found is None or not request.layers.bounds:
        return {}
    return {"printed": found.printed, "proved": found.proved}


def _entries(curves: Sequence[_Curve]) -> list[Entry]:
    """Labels with symbols as formulas."""
    return [(one.shapes, f"{literal(one.words)} {one.formula}".strip()) for one in curves]


def _chart(
    request: FigureRequest,
    curves: Sequence[_Curve],
    values: Mapping[str, Floats],
    references: Mapping[str, Floats],
) -> tuple[hv.Overlay, dict[float, str]]:
    """Curves on a linear axis, or their logarithms to base 10 with the ticks that explain them."""
    frame, together = request.frame, {**values, **references}
    top = max(float(column.max()) for column in together.values()) or 1.0
    placed = Values.of(np.concatenate(list(values.values())), log=request.layers.log)
    axis = placed.axis(top)
    together = {name: placed.place(column) for name, column in together.items()}
    parts: list[hv.Element] = [Moment(frame.event.t, pen=LineStyle.of(_NOW, 1.5 * PT))]
    for curve in (one for one in curves if one.column in references):
        parts += _curve(curve, together[curve.column], 1.0)
    measured = [one for one in reversed(curves) if one.column in values]  # the first is on top
    ahead = [] if frame.done == request.replay.scene.batches else [(None, _AHEAD)]
    for done, alpha in (*ahead, (frame.done, 1.0)):
        for curve in measured:
            parts += _curve(curve, together[curve.column][:done], alpha)
    across = (0.5, request.replay.scene.batches + 0.5)
    names = ("iteration t", "regret (units of f)")
    return Chart(parts, *names, x_limits=across, y_limits=(axis.low, axis.high)), dict(axis.ticks)


def _curve(curve: _Curve, values: Floats, alpha: float) -> list[hv.Element]:
    if not len(values):
        return []
    t, pen = np.arange(1, len(values) + 1), LineStyle.of(curve.mark, 2 * PT)
    dots = 7 * PT if curve.dots else 0.0
    return [Line(t, values, alpha=alpha, step=curve.step, dots=dots, pen=pen)]
