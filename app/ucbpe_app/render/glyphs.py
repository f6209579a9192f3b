"""How Bokeh draws a style: one glyph for each shape."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, CustomJS, HoverTool, LinearColorMapper

from ucbpe_app import theme

if TYPE_CHECKING:
    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

    from ucbpe_app.pictures.looks import Style

THICKER, LARGER = 1.8, 1.4  # in a room to read from
_WIDER, _MORE = 3.0, 2.0  # what stands out: px of a line, times the opacity of an area
# Of each shape Bokeh's method, the columns that it takes, and its options.
_IMAGE = ("image", ("image", "x", "y", "dw", "dh"), dict[str, Any]())
_GLYPHS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
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
    "text": ("text", ("x", "y", "text"), {}),
    "contour": ("line", ("x", "y"), {"line_join": "round"}),
    "image": _IMAGE,
    "mask": _IMAGE,
}
_CLEAR = "#00000000"
_OUTLINE = Path(__file__).with_name("outline.js").read_text(encoding="utf-8")
_HATCH = {"hatch_pattern": "/", "hatch_scale": 8, "hatch_weight": 1.5}


def draw(
    figure: Figure, style: Style, source: ColumnDataSource, colors: LinearColorMapper
) -> tuple[GlyphRenderer, ...]:
    """The renderers of a role, above the present ones; a casing comes first.

    `source` has its columns, or those of its outline: `outline_of`.
    """
    layers = (True, False) if style.casing else (False,)
    return tuple(_draw(figure, style, look(style, under=under), source, colors) for under in layers)


def outline_of(numbers: ColumnDataSource, figure: Figure) -> ColumnDataSource:
    """The outline of a set of points, which the browser draws when it has come or is laid out."""
    line = ColumnDataSource({"x": [], "y": []})
    drawn = CustomJS(args={"numbers": numbers, "line": line}, code=_OUTLINE)
    numbers.js_on_change("data", drawn)
    figure.js_on_change("inner_width", drawn)
    return line


def _draw(
    figure: Figure,
    style: Style,
    looks: dict[str, Any],
    source: ColumnDataSource,
    colors: LinearColorMapper,
) -> GlyphRenderer:
    if style.shape == "image":
        looks["color_mapper"] = colors
    elif style.shape == "mask":
        cover = f"{style.mark.color}{round(255 * style.alpha):02X}"
        looks["color_mapper"] = LinearColorMapper(palette=[cover, _CLEAR], low=0, high=1)
    elif "value" in style.by_row:
        looks["fill_color"] = {"field": "value", "transform": colors}
    method, columns, options = _GLYPHS[style.shape]
    renderer: GlyphRenderer = getattr(figure, method)(*columns, source=source, **options, **looks)
    if "tip" in style.by_row:
        figure.add_tools(HoverTool(renderers=[renderer], tooltips="@tip"))
    return renderer


def look(
    style: Style,
    *,
    large: bool = False,
    bold: bool = False,
    under: bool = False,
    dark: bool = False,
) -> dict[str, Any]:
    """The properties of the glyph of a style, which change with place, theme, and to stand out.

    Those `under` it are of its casing.
    """
    if dark:
        color = theme.DARK.get(style.mark.color, style.mark.color)
        style = replace(style, mark=replace(style.mark, color=color))
    if under and style.shape != "text":
        style = style.below
    width = style.width * (THICKER if large else 1.0) + (_WIDER if bold else 0.0)
    alpha = min(1.0, style.alpha * (_MORE if bold else 1.0))
    # Bokeh's dots are of one length, and bars where the line is thick.
    dots = f"{round(width)} {round(2 * width)}"
    dash = dots if style.mark.dash == "dotted" else style.mark.dash
    line = {"line_color": style.mark.color, "line_width": width, "line_dash": dash}
    match style.shape:
        case "line" | "contour" | "step" | "vline" | "hline" | "lines" | "segments":
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
            return _text(style, large=large, under=under)
        case "image" | "mask":
            return {}


def _points(style: Style, width: float, alpha: float, *, large: bool) -> dict[str, Any]:
    return {
        "marker": value(style.mark.marker),
        "size": style.size * (LARGER if large else 1.0),
        "fill_color": style.mark.color,
        "fill_alpha": alpha,
        "line_color": style.mark.color if style.width else None,
        "line_width": width,
    }


def _by_row(style: Style, properties: dict[str, Any]) -> dict[str, Any]:
    """The properties that columns say are those columns."""
    names = {
        "marker": ("marker",),
        "color": ("fill_color", "line_color"),
        "line": ("line_color",),
        "fill": ("fill_color",),
        "size": ("size",),
        "dash": ("line_dash",),
        "alpha": ("fill_alpha", "line_alpha"),
        "width": ("line_width",),
    }
    for column in style.by_row:
        properties |= {name: column for name in names.get(column, ()) if name in properties}
    if "value" in style.by_row:  # filled by a colour mapper, whatever the theme
        del properties["fill_color"]
    return properties


def _text(style: Style, *, large: bool, under: bool) -> dict[str, Any]:
    # The outline of a text covers the text itself, so the text comes once more without.
    outline = theme.OVER_FIELD_CASING if under else None
    return {
        "text_color": outline or style.mark.color,
        "text_outline_color": outline,
        "text_outline_width": style.casing,
        "text_font": value(theme.FONT),
        "text_font_size": f"{style.size * (LARGER if large else 1.0):.0f}px",
        "text_font_style": "bold",
        "text_align": "align",
        "text_baseline": "middle",
        "x_offset": "offset",
    }
