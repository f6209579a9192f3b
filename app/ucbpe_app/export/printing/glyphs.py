"""Glyphs of the dashboard's Bokeh figures, drawn by Matplotlib: the same data, colours and dashes.

`draw` knows the glyphs that the views use, and refuses others: a picture that silently lacks a
layer would be worse than none.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh import models
from bokeh.core.property.vectorization import Field, Value
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from ucbpe_app.export.printing.style import PT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bokeh.models import GlyphRenderer
    from matplotlib.axes import Axes

_DASHES = {"solid": (), "dashed": (6,), "dotted": (2, 4), "dotdash": (2, 4, 6, 4)}
_DIAMOND = Path([(0, 1), (2 / 3, 0), (0, -1), (-2 / 3, 0), (0, 1)], closed=True)
_MARKERS: dict[str, Any] = {
    "circle": "o",
    "square": "s",
    "star": "*",
    "diamond": _DIAMOND,
    "x": "x",
    "circle_cross": "$\\oplus$",
}
_MANY = 2_000  # dots; more are stored as an image, which opens faster
_ALIGN = {"left": "left", "right": "right", "center": "center"}


class Row:
    """A glyph with its data: `row(name)` for what all share, `row(name, i)` for one of them."""

    def __init__(self, renderer: GlyphRenderer, factors: Sequence[str] = ()) -> None:
        self.glyph, self._data = renderer.glyph, renderer.data_source.data
        self._values = renderer.glyph.properties_with_values()
        self._factors = {factor: i + 0.5 for i, factor in enumerate(factors)}

    def __call__(self, name: str, i: int | None = None) -> Any:
        value = self._values.get(name)
        if isinstance(value, Field):
            value = self._data[value.field] if i is None else self._data[value.field][i]
        elif isinstance(value, Value):
            value = value.value
        return self._factors.get(value, value) if isinstance(value, str) else value

    def __len__(self) -> int:
        return len(next(iter(self._data.values()), ()))

    def color(self, name: str, i: int | None = None) -> Any:
        """Of the property `name`_color, with its alpha; "none" for none."""
        own = self._values.get(f"{name}_color")
        mapper = own.transform if isinstance(own, Field) else None
        color = self(f"{name}_color", i)
        if isinstance(mapper, models.LinearColorMapper):
            colors, low, high = mapper.palette, mapper.low, mapper.high
            step = int((color - low) / (high - low) * len(colors))
            color = colors[min(max(step, 0), len(colors) - 1)]
        if color is None:
            return "none"
        red, green, blue, alpha = to_rgba(color)
        own_alpha = self(f"{name}_alpha", i)
        return red, green, blue, alpha * (1.0 if own_alpha is None else float(own_alpha))


def draw(axes: Axes, renderer: GlyphRenderer, zorder: float, factors: Sequence[str] = ()) -> None:
    """Draw a renderer, unless it is hidden or has nothing to show.

    Raises
    ------
    TypeError
        For a glyph that no view used when this was written.
    """
    kind = type(renderer.glyph).__name__
    if kind not in _WAYS:
        raise TypeError(f"a printed figure cannot show a {kind}")
    row = Row(renderer, factors)
    if renderer.visible and len(row):
        _WAYS[kind](axes, row, zorder)


def pen(width: float, dash: str | Sequence[float]) -> dict[str, Any]:
    """Width and dash of a line, both given in pixels."""
    pattern = _DASHES[dash] if isinstance(dash, str) else tuple(dash)
    if not pattern:
        return {"linewidth": width * PT, "linestyle": "solid"}
    # Matplotlib counts dashes in line widths, and wants them in pairs.
    lengths = [length / width for length in (pattern * 2 if len(pattern) % 2 else pattern)]
    return {"linewidth": width * PT, "linestyle": (0, lengths)}


def palette(mapper: models.LinearColorMapper) -> dict[str, Any]:
    """The colours of a mapper and the values that they stand for."""
    return {"cmap": ListedColormap(mapper.palette), "vmin": mapper.low, "vmax": mapper.high}


def _stroke(row: Row, i: int | None = None) -> dict[str, Any]:
    look = pen(float(row("line_width", i)), row("line_dash", i))
    return {"color": row.color("line", i), **look}


def _line(axes: Axes, row: Row, zorder: float, **options: Any) -> None:
    axes.plot(row("x"), row("y"), zorder=zorder, **_stroke(row), **options)


def _step(axes: Axes, row: Row, zorder: float) -> None:
    where = {"after": "steps-post", "before": "steps-pre", "center": "steps-mid"}
    _line(axes, row, zorder, drawstyle=where[row.glyph.mode])


def _area(axes: Axes, row: Row, zorder: float) -> None:
    color = row.color("fill")
    axes.fill_between(row("x"), row("y1"), row("y2"), color=color, linewidth=0, zorder=zorder)


def _lines(axes: Axes, row: Row, zorder: float) -> None:
    for i in range(len(row)):
        look = {**_stroke(row, i), "solid_joinstyle": "round", "dash_joinstyle": "round"}
        axes.plot(row("xs", i), row("ys", i), zorder=zorder, **look)


def _upright(axes: Axes, row: Row, zorder: float) -> None:
    for i in range(len(row)):
        axes.axvline(row("x", i), zorder=zorder, **_stroke(row, i))


def _bars(axes: Axes, row: Row, zorder: float) -> None:
    for i in range(len(row)):
        left, height = row("left", i), row("height", i)
        corner = left, row("y", i) - height / 2
        hatched = row("hatch_pattern", i) is not None
        axes.add_patch(
            Rectangle(
                corner, row("right", i) - left, height,
                facecolor=row.color("fill", i),
                edgecolor=row.color("line", i),
                linewidth=0 if row("line_color", i) is None else float(row("line_width", i)) * PT,
                hatch="/////" if hatched else None,
                zorder=zorder,
            )
        )  # fmt: skip


def _image(axes: Axes, row: Row, zorder: float) -> None:
    for i in range(len(row)):
        left, bottom = row("x", i), row("y", i)
        extent = (left, left + row("dw", i), bottom, bottom + row("dh", i))
        axes.imshow(
            np.asarray(row("image", i)), origin="lower", extent=extent, aspect="auto",
            interpolation="nearest", zorder=zorder, **palette(row.glyph.color_mapper),
        )  # fmt: skip


def _points(axes: Axes, row: Row, zorder: float) -> None:
    """Rows that look alike and follow each other are drawn together."""
    looks = ((_marker(row, i), i) for i in range(len(row)))
    x, y = np.asarray(row("x"), float), np.asarray(row("y"), float)
    for look, members in _runs(looks):
        points = Line2D(x[members], y[members], linestyle="none", zorder=zorder, **dict(look))
        points.set_rasterized(len(row) > _MANY)
        axes.add_line(points)


def _marker(row: Row, i: int) -> tuple[tuple[str, Any], ...]:
    return (
        ("marker", _MARKERS.get(row("marker", i), "o")),
        ("markersize", float(row("size", i)) * PT),
        ("markerfacecolor", row.color("fill", i)),
        ("markeredgecolor", row.color("line", i)),
        ("markeredgewidth", float(row("line_width", i)) * PT),
    )


def _runs(looks: Iterator[tuple[Any, int]]) -> Iterator[tuple[Any, list[int]]]:
    for look, run in groupby(looks, key=lambda one: one[0]):
        yield look, [i for _, i in run]


def _texts(axes: Axes, row: Row, zorder: float) -> None:
    for i in range(len(row)):
        size = float(str(row("text_font_size", i)).removesuffix("px")) * PT
        bold = "bold" if row("text_font_style", i) == "bold" else "normal"
        across, upwards = _anchor(row, i)
        text = axes.annotate(
            row("text", i),
            (row("x", i), row("y", i)),
            xytext=(float(row("x_offset", i)) * PT, -float(row("y_offset", i)) * PT),
            textcoords="offset points",
            ha=across, va=upwards,
            color=row.color("text", i), fontsize=size, fontweight=bold,
            bbox=_background(row, i), zorder=zorder, annotation_clip=True,
        )  # fmt: skip
        outline = row.color("text_outline", i)
        if outline != "none" and outline[3] > 0:
            width = float(row("text_outline_width", i)) * PT
            text.set_path_effects([withStroke(linewidth=width, foreground=outline)])


def _anchor(row: Row, i: int) -> tuple[str, str]:
    anchor = row("anchor", i)
    if isinstance(anchor, str) and "_" in anchor:
        upwards, across = anchor.split("_")
        return across, upwards
    return _ALIGN[row("text_align", i)], "center_baseline"


def _background(row: Row, i: int) -> dict[str, Any] | None:
    color = row("background_fill_color", i)
    if color is None:
        return None
    return {"boxstyle": "round,pad=0.2,rounding_size=0.3", "facecolor": color, "linewidth": 0}


_WAYS: dict[str, Callable[[Axes, Row, float], None]] = {
    "HBar": _bars,
    "Image": _image,
    "Line": _line,
    "MultiLine": _lines,
    "Scatter": _points,
    "Step": _step,
    "Text": _texts,
    "VArea": _area,
    "VSpan": _upright,
}
