"""Marks as elements of HoloViews: the columns of a role, in its look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from contourpy import LineType, contour_generator
from matplotlib.colors import to_hex
from matplotlib.patheffects import withStroke
from matplotlib.transforms import offset_copy

from ucbpe_app import theme
from ucbpe_app.pictures.looks import STYLES, LineStyle
from ucbpe_app.plots.elements import Band, Bars, Field, Level, Line, Moment, Points, options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_app.pictures.looks import Style
    from ucbpe_app.pictures.picture import Colors, Mark

    Columns = Mapping[str, np.ndarray]

PT = 0.62  # points for a pixel of the screen, whose pictures are wider than a page
_CLEAR = "#00000000"


def elements_of(mark: Mark, colors: Colors | None = None) -> list[hv.Element]:
    """The elements of a mark: one for each look that its rows have, a casing below them.

    Parameters
    ----------
    colors : those of values
    """
    look, columns = STYLES[mark.role], mark.columns
    if not len(next(iter(columns.values()))):
        return []
    draw = _SHAPES[look.shape]
    if look.casing and look.shape != "text":
        return [*draw(look.below, columns, None), *draw(look, columns, colors)]
    return draw(look, columns, colors)


def _style(look: Style) -> LineStyle:
    return LineStyle.of(look.mark, PT * look.width)


def _line(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    step = look.shape == "step"
    return [Line(columns["x"], columns["y"], pen=_style(look), alpha=look.alpha, step=step)]


def _lines(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    """A line for each row."""
    ends = list(zip(columns["xs"], columns["ys"], strict=True))
    lines = []
    for row, (across, up) in enumerate(ends):
        own = {name: columns[name][row] for name in look.by_row}
        mark = theme.Mark(own.get("color", look.mark.color), own.get("dash", look.mark.dash))
        style = LineStyle.of(mark, PT * own.get("width", look.width))
        lines.append(Line(across, up, pen=style, alpha=own.get("alpha", look.alpha)))
    return lines


def _segments(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    """Vertical lines; those of one look are one line with gaps."""
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row in range(len(columns["x"])):
        rows.setdefault(tuple(columns[name][row] for name in look.by_row), []).append(row)
    lines = []
    for values, members in rows.items():
        own = dict(zip(look.by_row, values, strict=True))
        x, low, high = (columns[name][members] for name in ("x", "bottom", "top"))
        gap = np.full(len(members), np.nan)
        style = LineStyle.of(theme.Mark(own.get("color", look.mark.color)), PT * look.width)
        across, up = np.column_stack([x, x, gap]).ravel(), np.column_stack([low, high, gap]).ravel()
        lines.append(Line(across, up, pen=style, alpha=own.get("alpha", look.alpha)))
    return lines


def _area(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    edges = columns["x"], columns["lower"], columns["upper"]
    return [Band(*edges, pen=_style(look), alpha=look.alpha)]


def _rects(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    corners = (columns[name] for name in ("left", "right", "bottom", "top"))
    hatch = "/////" if look.hatch else ""
    return [Bars(*corners, pen=_style(look), alpha=look.alpha, outline=look.outline, hatch=hatch)]


def _across(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    """What goes through the whole plot."""
    if look.shape == "vline":
        return [Moment(columns["x"], pen=_style(look), alpha=look.alpha)]
    if look.shape == "hline":
        return [Level(columns["y"], pen=_style(look), alpha=look.alpha)]
    strips = hv.VSpans((columns["left"], columns["right"]))
    plain = {"facecolor": look.mark.color, "edgecolor": "none", "alpha": look.alpha}
    return [options(strips, **plain)]


def _image(look: Style, columns: Columns, colors: Colors | None) -> list[hv.Element]:
    """Values in the colours of the plot, or a cover where a mask is 0."""
    left, bottom, width, height = (float(columns[name][0]) for name in ("x", "y", "dw", "dh"))
    bounds = left, bottom, left + width, bottom + height
    shown, low, high = [to_hex((look.mark.color, look.alpha), keep_alpha=True), _CLEAR], 0.0, 1.0
    if look.shape == "image" and colors is not None:
        shown, low, high = theme.PALETTES[colors.palette], colors.low, colors.high
    return [Field(columns["image"][0], bounds, shown, low, high)]


def _contour(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    """The outline of a set: closed lines, with NaN between two."""
    return [Line(*outline(columns), pen=_style(look), alpha=look.alpha)]


def outline(columns: Columns) -> tuple[np.ndarray, np.ndarray]:
    """Its x and its y, as `outline.js` has them."""
    (image,) = columns["image"].astype(float)
    # The rim is outside by a hair's breadth, so that the line goes along it.
    field = np.pad(image * np.abs(image), 1, constant_values=-1e-9)
    starts, lengths = ([columns[name][0] for name in names] for names in (("x", "y"), ("dw", "dh")))
    across, up = (
        start + length / count * np.clip(np.arange(count + 2) - 0.5, 0, count)
        for start, length, count in zip(starts, lengths, image.shape[::-1], strict=True)
    )
    kind = LineType.ChunkCombinedNan
    ((line,),) = contour_generator(across, up, field, line_type=kind).lines(0.0)
    return line[:, 0], line[:, 1]


def _points(look: Style, columns: Columns, colors: Colors | None) -> list[hv.Element]:
    """Markers; Matplotlib draws those of one look together, the first look first."""
    by_row = [name for name in look.by_row if name != "value"]
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row in range(len(columns["x"])):
        rows.setdefault(tuple(columns[name][row] for name in by_row), []).append(row)
    markers = []
    for values, members in rows.items():
        own = dict(zip(by_row, values, strict=True))
        x, y = columns["x"][members], columns["y"][members]
        color, alpha = own.get("color", look.mark.color), own.get("alpha", look.alpha)
        edge = theme.Mark(own.get("line", color), marker=own.get("marker", look.mark.marker))
        style, size = LineStyle.of(edge), PT * own.get("size", look.size)
        if colors is not None and "value" in look.by_row:
            markers.append(_valued(x, y, columns["value"][members], style, size, colors))
            continue
        fill = to_hex((own.get("fill", color), alpha), keep_alpha=True) if alpha else "none"
        width = PT * own.get("width", look.width)
        markers.append(Points(x, y, pen=style, size=size, fill=fill, edge=width))
    return markers


def _valued(
    x: np.ndarray, y: np.ndarray, values: np.ndarray, style: LineStyle, size: float, colors: Colors
) -> hv.Scatter:
    """Markers whose colours tell values."""
    return options(
        hv.Scatter((x, y, values), "x", ["y", "value"]), color="value",
        cmap=list(theme.PALETTES[colors.palette]), clim=(colors.low, colors.high),
        marker=style.marker, s=size**2, linewidth=0,
    )  # fmt: skip


def _texts(look: Style, columns: Columns, _: Colors | None) -> list[hv.Element]:
    """Texts next to their points, at the distance in the column "offset"."""

    def finish(plot: Any, element: Any) -> None:
        # HoloViews knows offsets in the units of the data alone.
        for i, text in enumerate(plot.handles["artist"]):
            away = PT * float(columns["offset"][i])
            place = offset_copy(text.get_transform(), text.figure, away, 0, units="points")
            text.set(transform=place, ha=columns["align"][i], va="center_baseline")
            stroke = withStroke(linewidth=PT * look.casing, foreground=theme.OVER_FIELD_CASING)
            text.set(color=look.mark.color, path_effects=[stroke])

    data = columns["x"], columns["y"], list(columns["text"])
    labels = hv.Labels(data, ["x", "y"], "text")
    return [options(labels, size=PT * look.size, weight="bold", hooks=[finish])]


_SHAPES: Mapping[str, Callable[[Style, Columns, Colors | None], list[hv.Element]]] = {
    "line": _line,
    "step": _line,
    "lines": _lines,
    "segments": _segments,
    "area": _area,
    "points": _points,
    "rects": _rects,
    "vline": _across,
    "hline": _across,
    "vstrip": _across,
    "image": _image,
    "mask": _image,
    "contour": _contour,
    "text": _texts,
}
