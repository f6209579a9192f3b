"""How Bokeh draws a style: one glyph for each shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.core.properties import value
from bokeh.models import HoverTool

from ucbpe_app import theme

if TYPE_CHECKING:
    from bokeh.models import ColumnDataSource, GlyphRenderer
    from bokeh.plotting import figure as Figure

    from ucbpe_app.pictures.styles import Shape, Style

_THICKER, _LARGER = 1.8, 1.4  # in a room to read from
_WIDER, _MORE = 3.0, 2.0  # what stands out: px of a line, times the opacity of an area
_HATCH = {"hatch_pattern": "/", "hatch_scale": 8, "hatch_weight": 1.5}


# Of each shape: the method of a figure, the columns that it is given, and its other options. An
# image has a colour map of its own.
_GLYPHS: dict[Shape, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "line": ("line", ("x", "y"), {"line_join": "round"}),
    "step": ("step", ("x", "y"), {"mode": "after"}),
    "area": ("varea", ("x", "lower", "upper"), {}),
    "points": ("scatter", ("x", "y"), {}),
    "rects": ("quad", ("left", "right", "top", "bottom"), {}),
    "vline": ("vspan", ("x",), {}),
    "hline": ("hspan", ("y",), {}),
    "lines": ("multi_line", ("xs", "ys"), {"line_join": "round"}),
    "vstrip": ("vstrip", ("left", "right"), {}),
    "segments": ("segment", ("x", "bottom", "x", "top"), {}),
    "text": ("text", ("x", "y"), {"text": "text"}),
}


def draw(figure: Figure, style: Style, source: ColumnDataSource) -> GlyphRenderer:
    """A renderer of a role's columns, above those that are there."""
    method, columns, options = _GLYPHS[style.shape]
    drawn: GlyphRenderer = getattr(figure, method)(
        *columns, source=source, **options, **look(style)
    )
    if "tip" in style.by_row:
        figure.add_tools(HoverTool(renderers=[drawn], tooltips="@tip"))
    return drawn


def look(style: Style, *, large: bool = False, bold: bool = False) -> dict[str, Any]:
    """The properties of the glyph of a style, which change with the place and to stand out."""
    width = style.width * (_THICKER if large else 1.0) + (_WIDER if bold else 0.0)
    alpha = min(1.0, style.alpha * (_MORE if bold else 1.0))
    line = {"line_color": style.mark.color, "line_width": width, "line_dash": style.mark.dash}
    match style.shape:
        case "line" | "step" | "vline" | "hline" | "lines" | "segments":
            return _by_row(style, {**line, "line_alpha": style.alpha})
        case "area":
            return {"fill_color": style.mark.color, "fill_alpha": alpha}
        case "vstrip":
            return {"fill_color": style.mark.color, "fill_alpha": alpha, "line_color": None}
        case "points":
            return _by_row(style, _points(style, width, alpha, large=large))
        case "rects":
            own = {"fill_color": style.mark.color, "fill_alpha": alpha}
            outline = line if style.outline else {"line_color": None}
            hatch = {**_HATCH, "hatch_color": style.mark.color} if style.hatch else {}
            return {**own, **outline, **hatch, "line_dash": "solid"}
        case "text":
            return _text(style)
    raise ValueError(style.shape)


def _points(style: Style, width: float, alpha: float, *, large: bool) -> dict[str, Any]:
    return {
        "marker": value(style.mark.marker),
        "size": style.size * (_LARGER if large else 1.0),
        "fill_color": style.mark.color,
        "fill_alpha": alpha,
        "line_color": style.mark.color,
        "line_width": width,
    }


def _by_row(style: Style, properties: dict[str, Any]) -> dict[str, Any]:
    """The properties that columns say are those columns."""
    names = {
        "marker": ("marker",),
        "color": ("fill_color", "line_color"),
        "line": ("line_color",),
        "size": ("size",),
        "dash": ("line_dash",),
        "alpha": ("fill_alpha", "line_alpha"),
        "width": ("line_width",),
    }
    for column in style.by_row:
        if column not in names:  # for a pointer
            continue
        properties |= {name: column for name in names[column] if name in properties}
    return properties


def _text(style: Style) -> dict[str, Any]:
    return {
        "text_color": style.mark.color,
        "text_font": value(theme.FONT),
        "text_font_size": "12px",
        "text_font_style": "bold",
        "text_align": "align",
        "text_baseline": "middle",
        "x_offset": "offset",
    }
