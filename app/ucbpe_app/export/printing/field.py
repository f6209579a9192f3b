"""Two inputs: truth, mean, standard deviation and bound as equal squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import MaxNLocator

from ucbpe_app import theme
from ucbpe_app.export.printing.marks import picks
from ucbpe_app.export.printing.over_field import cased, dots
from ucbpe_app.export.printing.sheet import PrintedPage
from ucbpe_app.export.printing.style import PT
from ucbpe_app.figures.field import scales, texts
from ucbpe_app.figures.field.outline import edges
from ucbpe_app.figures.field.region import PLUS_DASH, REGION_DASH, VEIL, dot_size, outlines
from ucbpe_app.figures.marks import DATA_SIZE, FRESH_SIZE
from ucbpe_app.plots import Chart, Field, Line, LineStyle, Points

if TYPE_CHECKING:
    import holoviews as hv
    from matplotlib.axes import Axes

    from ucbpe_app.export.sheet import FigureRequest
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Floats

_EDGE, _ACROSS = 0.4, 16.2  # cm
_LIGHT, _DARK = theme.OVER_FIELD, theme.OVER_FIELD_CASING
_CLEAR = "#00000000"
_TICKS = 6


def field(request: FigureRequest) -> PrintedPage:
    """The page of an event; without the truth there are three squares, in one row."""
    scene, frame = request.replay.scene, request.frame
    squares = _squares(scene, frame)[0 if request.layers.truth else 1 :]
    columns, side, pitch = (2, 5.4, 8.15) if len(squares) == 4 else (3, 3.0, 5.45)
    rows, below = -(-len(squares) // columns), 1.65
    page = PrintedPage(request, height=3.7 + rows * (side + below))
    outlined = bool(scene.grid) and scene.uses_region
    entries = texts.legend(scene.roles, outlined=outlined)
    page.legend(entries, _EDGE, 1.45, _ACROSS, over_field=True)
    page.note(texts.note(frame), 2.05)
    across, upwards = scales.ranges(scene)
    for i, (title, values, limits) in enumerate(squares):
        row, column = divmod(i, columns)
        left, top = 1.45 + column * pitch, 3.1 + row * (side + below)
        veiled = title == texts.std_title(frame)
        parts = [*_field(scene, values, limits), *_region(scene, frame, veiled=veiled)]
        parts += [*_picks(frame, across), *_data(scene, frame)]
        x, y = scene.axes[:2]
        chart = Chart(parts, x, y, title, x_limits=across, y_limits=upwards)
        axes = page.chart(chart, left, top, side, side)
        axes.grid(visible=False)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(_TICKS, steps=[1, 2, 5, 10]))
        _bar(axes, page.axes(left + side + 0.15, top, 0.2, side), limits)
    return page


def _squares(scene: Scene, frame: Frame) -> list[tuple[str, Floats, scales.Limits]]:
    """The title, the values and the colour scale of each."""
    titles = (
        texts.truth_title(scene), texts.MEAN_TITLE, texts.std_title(frame),
        texts.bound_title(frame, scene.sign),
    )  # fmt: skip
    bound = frame.mean + scene.sign * frame.sqrt_beta * frame.std_now
    values = (scene.truth, frame.mean, frame.std_now, bound)
    return list(zip(titles, values, scales.limits(scene, frame), strict=True))


def _field(scene: Scene, values: Floats, limits: scales.Limits) -> list[hv.Element]:
    """An image on a grid, else a dot for each candidate."""
    if scene.grid:
        return [_image(scene, values, theme.FIELD, limits)]
    x, y = scene.candidates.T
    size, (low, high) = dot_size(len(values)) * PT, limits
    return [dots(x, y, size, values, theme.FIELD, low, high)]


def _image(scene: Scene, values: Floats, colors: list[str], limits: scales.Limits) -> hv.Image:
    nx, ny = scene.grid
    left, right = edges(scene.candidates[::ny, 0])
    bottom, top = edges(scene.candidates[:ny, 1])
    image = values.reshape(nx, ny).T.astype(np.float32)
    return Field(image, (left, bottom, right, top), colors, *limits)


def _region(scene: Scene, frame: Frame, *, veiled: bool) -> list[hv.Element]:
    """Outlines of R and R+ on a grid, and a veil outside R+; off a grid, a veil over the dots."""
    if frame.region_plus is None:
        return []
    if not scene.grid:
        outside = scene.candidates[~frame.region_plus]
        size, (x, y) = (dot_size(len(scene.candidates)) + 1) * PT, outside.T
        return [Points(x, y, size=size, edge=0.0, pen=LineStyle(VEIL))] if len(outside) else []
    parts: list[hv.Element] = []
    if veiled:
        inside = frame.region_plus.astype(float)
        parts.append(_image(scene, inside, [VEIL, _CLEAR], (0.0, 1.0)))
    plus, region = outlines(scene, frame)
    lines = [(plus, PLUS_DASH), (region, REGION_DASH)]
    casing = LineStyle(_DARK, width=4 * PT)
    parts += [Line(x, y, pen=casing) for (xs, ys), _ in lines for x, y in zip(xs, ys, strict=True)]
    for (xs, ys), dash in lines:
        pen = LineStyle.of(theme.Mark(_LIGHT, dash), 1.8 * PT)
        parts += [Line(x, y, pen=pen) for x, y in zip(xs, ys, strict=True)]
    return parts


def _picks(frame: Frame, across: scales.Limits) -> list[hv.Element]:
    places = [(float(pick.x[0]), float(pick.x[1])) for pick in frame.picks]
    return picks(frame.picks, places, across)


def _data(scene: Scene, frame: Frame) -> list[hv.Element]:
    """Measured candidates as small crosses; those just measured are larger."""
    seen = scene.candidates[frame.observed]
    old = len(seen) - frame.fresh
    pen = LineStyle(_LIGHT, marker=LineStyle.of(theme.DATA).marker)
    groups = ((seen[:old].T, DATA_SIZE), (seen[old:].T, FRESH_SIZE))
    return [
        cased(Points(x, y, size=size * PT, edge=1.4 * PT, pen=pen), 0.7 * PT, 1.4 * PT)
        for (x, y), size in groups
        if len(x)
    ]


def _bar(axes: Axes, place: Axes, limits: scales.Limits) -> None:
    """The colour scale beside a square."""
    scale = ScalarMappable(Normalize(*limits), ListedColormap(theme.FIELD))
    drawn = axes.figure.colorbar(scale, cax=place, ticks=MaxNLocator(5))
    drawn.outline.set_visible(False)
    place.grid(visible=False)
    place.tick_params(length=0, pad=2)
