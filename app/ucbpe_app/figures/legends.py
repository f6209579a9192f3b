"""Legends beside the figures, in HTML: they wrap, follow the theme and never cover data."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from ucbpe_app import theme
from ucbpe_app.markup import Markup

if TYPE_CHECKING:
    from collections.abc import Iterable

_CSS = """
:host(.lab-legend) {
  color: var(--mui-palette-text-secondary, #5f6368);
  font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif);
}
ul { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 0; padding: 0; list-style: none; }
li { display: inline-flex; gap: 6px; align-items: center; }
svg { flex: none; border-radius: 3px; }
"""
_STAR = "0,-6 1.4,-1.9 5.7,-1.9 2.2,0.7 3.5,4.9 0,2.3 -3.5,4.9 -2.2,0.7 -5.7,-1.9 -1.4,-1.9"
_SHAPES = {
    "star": f'<polygon points="{_STAR}"/>',
    "diamond": '<polygon points="0,-6.5 4.4,0 0,6.5 -4.4,0"/>',
    "circle": '<circle r="4.5"/>',
    "square": '<rect x="-3.5" y="-3.5" width="7" height="7"/>',
    "x": '<path d="M-4-4 4 4M-4 4 4-4"/>',
    "circle_cross": '<circle r="6"/><path d="M-6 0H6M0-6V6"/>',
}
_DASHES = {"solid": "", "dashed": "6 4", "dotted": "2 3", "dotdash": "2 3 6 3"}
_FIELD_CHIP = theme.FIELD[len(theme.FIELD) // 2]


def point(marker: str, color: str, *, line: str = "none", width: float = 1) -> str:
    """SVG of a marker around the origin."""
    shape = _SHAPES.get(marker, _SHAPES["circle"])
    return f'<g fill="{color}" stroke="{line}" stroke-width="{width}">{shape}</g>'


def stroke(color: str, dash: str = "solid", width: float = 2, *, opacity: float = 1) -> str:
    """SVG of a piece of line through the origin."""
    return (
        f'<path d="M-13 0H13" fill="none" stroke="{color}" stroke-width="{width}" '
        f'stroke-dasharray="{_DASHES[dash]}" opacity="{opacity}"/>'
    )


def swatch(marks: str, attributes: str = "") -> str:
    """SVG element of marks drawn around the origin, as large as a legend's entry."""
    box = 'width="26" height="18" viewBox="-13 -9 26 18"'
    return f'<svg {box} aria-hidden="true"{attributes}>{marks}</svg>'


def entries(items: Iterable[tuple[str, str]], *, over_field: bool = False) -> str:
    """HTML of a legend whose items are a swatch (SVG) and a text.

    Marks made to read over a field are shown on a item of a field's colour.
    """
    item = f' style="background:{_FIELD_CHIP}"' if over_field else ""
    rows = (f"<li>{swatch(marks, item)}{escape(text)}</li>" for marks, text in items)
    return f"<ul>{''.join(rows)}</ul>"


def text(html: str = "", *names: str, **options: Any) -> Markup:
    """Return a pane of legend text with further class names."""
    layout = {"sizing_mode": "stretch_width", "margin": 0, "stylesheets": [_CSS]}
    return Markup(html, css_classes=["lab-legend", *names], **{**layout, **options})
