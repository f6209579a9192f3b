"""Any number of inputs: the decision plane, each candidate a dot at its std and its mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from ucbpe_app import theme
from ucbpe_app.export.printing.marks import picks
from ucbpe_app.export.printing.over_field import cased
from ucbpe_app.export.printing.sheet import PrintedPage
from ucbpe_app.export.printing.style import PT
from ucbpe_app.figures.plane.dots import INSIDE, NEUTRAL, OUTSIDE, PALETTE
from ucbpe_app.figures.plane.large import full_legend
from ucbpe_app.figures.plane.lines import SHADE, guide, lines, positions
from ucbpe_app.figures.plane.view import GUIDE
from ucbpe_app.figures.plane.window import outside, window
from ucbpe_app.plots import Band, Chart, Line, LineStyle, Moment, Points
from ucbpe_app.run.events import Kind

if TYPE_CHECKING:
    import holoviews as hv

    from ucbpe_app.export.sheet import FigureRequest
    from ucbpe_app.figures.plane.lines import Slanted
    from ucbpe_app.figures.plane.window import Box
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.theme import Mark

_EDGE, _ACROSS, _LEFT, _WIDTH = 0.4, 16.2, 1.9, 14.4  # cm
_DOT, _OPTIMUM = 5 * PT, 22 * PT


def plane(request: FigureRequest) -> PrintedPage:
    """The page of an event."""
    scene, frame = request.replay.scene, request.frame
    places = positions(frame)
    box = window(scene, frame, places)
    found = lines(frame, scene.sign)
    parts = [
        *_half_plane(found.plus, box, scene.sign),
        *_dots(frame),
        *_line(found.y_dot, theme.Y_DOT, 3 * PT, box),
        *_line(found.ucb, theme.UCB_PICK, 2 * PT, box),
        *_guide(frame),
        # Measured picks huddle at small std, where numbers would cover each other.
        *picks(frame.picks, places, box[:2], numbered=frame.event.kind is not Kind.OBSERVE),
        *(_optimum(scene, frame) if request.layers.truth else []),
    ]
    page = PrintedPage(request, height=13.9)
    page.legend(full_legend(scene, truth=request.layers.truth), _EDGE, 1.45, _ACROSS)
    page.note(outside(frame, box), 2.95)
    chart = Chart(parts, "std σ", "mean μ", "Decision plane", x_limits=box[:2], y_limits=box[2:])
    axes = page.chart(chart, _LEFT, 3.55, _WIDTH, 8.2)
    axes.grid(visible=False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    return page


def _dots(frame: Frame) -> list[hv.Element]:
    """Every candidate; those in R+ lie on top, once it is known."""
    inside = frame.region_plus
    groups = [(np.ones(len(frame.mean), bool), NEUTRAL)]
    if inside is not None:
        groups = [(~inside, OUTSIDE), (inside, INSIDE)]
    return [
        Points(
            frame.std_now[mask], frame.mean[mask], size=_DOT, edge=0.0, pen=LineStyle(PALETTE[kind])
        )
        for mask, kind in groups
        if mask.any()
    ]


def _half_plane(line: Slanted | None, box: Box, sign: float) -> list[hv.Element]:
    """The edge of R+, and R+ above it, or below where f is minimised."""
    if line is None:
        return []
    x, y = _ends(line, box)
    far = max(box[3], *y) if sign > 0 else min(box[2], *y)
    pen = LineStyle(theme.REGION_PLUS.color)
    shade = Band(x, y, [far, far], alpha=SHADE * line.alpha, pen=pen)
    return [shade, *_line(line, theme.REGION_PLUS, 2 * PT, box)]


def _line(line: Slanted | None, mark: Mark, width: float, box: Box) -> list[hv.Element]:
    if line is None:
        return []
    return [Line(*_ends(line, box), alpha=line.alpha, pen=LineStyle.of(mark, width))]


def _ends(line: Slanted, box: Box) -> tuple[list[float], list[float]]:
    x = list(box[:2])
    return x, [line.intercept + line.gradient * one for one in x]


def _guide(frame: Frame) -> list[hv.Element]:
    at = guide(frame)
    return [] if at is None else [Moment(at, pen=LineStyle.of(GUIDE, 2 * PT))]


def _optimum(scene: Scene, frame: Frame) -> list[hv.Element]:
    """A square at the optimum of f."""
    best = scene.optimum_index
    pen = LineStyle(theme.OVER_FIELD, marker="s")
    x, y = frame.std_now[best], frame.mean[best]
    points = Points(x, y, size=_OPTIMUM, fill="none", edge=2 * PT, pen=pen)
    return [cased(points, PT, 2 * PT)]
