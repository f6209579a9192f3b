"""Legends beside the figures: entries are data, which print draws too; on screen they are HTML.

HTML wraps, follows the theme and never covers data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from ucbpe_app import theme
from ucbpe_app.markup import Markup
from ucbpe_app.run.glossary import explain

if TYPE_CHECKING:
    from collections.abc import Iterable

_CSS = """
:host(.lab-legend) {
  color: var(--mui-palette-text-secondary, #5f6368);
  font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif);
  font-size: var(--legend-size, 0.8125rem);
  line-height: var(--legend-line, 1.5);
}
:host(.lab-note) { min-height: var(--note-height, 0); } /* or its lines would move the pictures */
ul { display: flex; flex-wrap: wrap; gap: var(--legend-gaps, 2px 14px); }
ul { margin: 0; padding: 0; list-style: none; }
li { display: inline-flex; gap: 6px; align-items: center; }
svg { flex: none; border-radius: 3px; }
"""
WIDTH, HEIGHT = 26, 18  # of a swatch, whose origin is in its middle
_DASHES = {"solid": (), "dashed": (6, 4), "dotted": (2, 3), "dotdash": (2, 3, 6, 3)}
FIELD_CHIP = theme.FIELD[len(theme.FIELD) // 2]  # behind marks made to read over a field


Dash = tuple[float, ...]  # lengths drawn and left out, none for a solid line


@dataclass(frozen=True)
class Shape:
    """A part of a swatch, y pointing down: a line through points, an outline, or a circle.

    Attributes
    ----------
    points : of the line or outline; none for a circle
    closed : whether the line ends where it began
    radius : of a circle around the origin
    fill, line : colours, or "none"
    width, dash : of the line
    opacity : of all of it
    """

    points: tuple[tuple[float, float], ...] = ()
    closed: bool = True
    radius: float = 0.0
    fill: str = "none"
    line: str = "none"
    width: float = 1.0
    dash: Dash = ()
    opacity: float = 1.0

    @property
    def svg(self) -> str:
        look = f'fill="{self.fill}" stroke="{self.line}" stroke-width="{self.width:g}"'
        if self.dash:
            look += f' stroke-dasharray="{" ".join(map(str, self.dash))}"'
        if self.opacity != 1:
            look += f' opacity="{self.opacity:g}"'
        if not self.points:
            return f'<circle r="{self.radius:g}" {look}/>'
        path = "L".join(f"{x:g} {y:g}" for x, y in self.points)
        return f'<path d="M{path}{"Z" if self.closed else ""}" {look}/>'


Shapes = tuple[Shape, ...]
Entry = tuple[Shapes, str]  # of a legend: a swatch, drawn from below upwards, and a label

_STAR = (
    (0, -6), (1.4, -1.9), (5.7, -1.9), (2.2, 0.7), (3.5, 4.9),
    (0, 2.3), (-3.5, 4.9), (-2.2, 0.7), (-5.7, -1.9), (-1.4, -1.9),
)  # fmt: skip
_MARKERS: dict[str, tuple[dict[str, Any], ...]] = {
    "star": ({"points": _STAR},),
    "diamond": ({"points": ((0, -6.5), (4.4, 0), (0, 6.5), (-4.4, 0))},),
    "circle": ({"radius": 4.5},),
    "square": ({"points": ((-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5))},),
    "x": tuple({"points": ((-4, -4 * k), (4, 4 * k)), "closed": False} for k in (1, -1)),
    "triangle": ({"points": ((0, -5), (5, 4), (-5, 4))},),
    "inverted_triangle": ({"points": ((0, 5), (5, -4), (-5, -4))},),
    "hex": ({"points": ((0, -5), (4.3, -2.5), (4.3, 2.5), (0, 5), (-4.3, 2.5), (-4.3, -2.5))},),
    "plus": (
        {
            "points": (
                (-5, -1.7),
                (-1.7, -1.7),
                (-1.7, -5),
                (1.7, -5),
                (1.7, -1.7),
                (5, -1.7),
                (5, 1.7),
                (1.7, 1.7),
                (1.7, 5),
                (-1.7, 5),
                (-1.7, 1.7),
                (-5, 1.7),
            )
        },
    ),
    "asterisk": tuple(
        {"points": ((-x, -y), (x, y)), "closed": False}
        for x, y in ((0, 5), (4.3, 2.5), (4.3, -2.5))
    ),
    "square_pin": (
        {"points": ((-5, -5), (0, -2.5), (5, -5), (2.5, 0), (5, 5), (0, 2.5), (-5, 5), (-2.5, 0))},
    ),
    "triangle_pin": (
        {"points": ((0, -5.5), (1.6, -0.9), (5, 4.5), (0, 2.6), (-5, 4.5), (-1.6, -0.9))},
    ),
    "circle_cross": (
        {"radius": 6},
        {"points": ((-6, 0), (6, 0)), "closed": False},
        {"points": ((0, -6), (0, 6)), "closed": False},
    ),
}


def point(marker: str, color: str, *, line: str = "none", width: float = 1) -> Shapes:
    """A marker around the origin."""
    parts = _MARKERS.get(marker, _MARKERS["circle"])
    return tuple(Shape(**part, fill=color, line=line, width=width) for part in parts)


def stroke(
    color: str, dash: str | Dash = "solid", width: float = 2, *, opacity: float = 1
) -> Shapes:
    """A piece of line through the origin; its dash is one of Bokeh's names, or lengths."""
    return polyline(color, ((-WIDTH / 2, 0), (WIDTH / 2, 0)), dash, width, opacity=opacity)


def polyline(
    color: str,
    points: tuple[tuple[float, float], ...],
    dash: str | Dash = "solid",
    width: float = 2,
    *,
    opacity: float = 1,
) -> Shapes:
    """A line through points."""
    look: dict[str, Any] = {
        "width": width,
        "dash": _DASHES[dash] if isinstance(dash, str) else dash,
        "opacity": opacity,
    }
    return (Shape(points, closed=False, line=color, **look),)


def area(color: str, opacity: float) -> Shapes:
    """A piece of a translucent area."""
    corners = ((-13.0, -7.0), (13.0, -7.0), (13.0, 7.0), (-13.0, 7.0))
    return (Shape(corners, fill=color, opacity=opacity),)


@lru_cache(maxsize=256)
def swatch(shapes: Shapes, attributes: str = "") -> str:
    """SVG element of shapes around the origin, as large as a legend's entry."""
    box = f'width="{WIDTH}" height="{HEIGHT}" viewBox="{-WIDTH / 2:g} {-HEIGHT / 2:g} 26 18"'
    drawn = "".join(shape.svg for shape in shapes)
    return f'<svg {box} aria-hidden="true"{attributes}>{drawn}</svg>'


def entries(items: Iterable[Entry], *, over_field: bool = False) -> str:
    """HTML of a legend.

    Marks made to read over a field are shown on a chip of a field's colour.
    """
    chip = f' style="background:{FIELD_CHIP}"' if over_field else ""
    rows = (f"{item(label)}{swatch(shapes, chip)}{escape(label)}</li>" for shapes, label in items)
    return f"<ul>{''.join(rows)}</ul>"


def item(label: str, attributes: str = "") -> str:
    """The start of an entry, which says on request what its label means."""
    meaning = explain(label)
    title = f' title="{escape(meaning)}"' if meaning else ""
    return f"<li{title}{attributes}>"


def text(html: str = "", *names: str, **options: Any) -> Markup:
    """Return a pane of legend text with further class names."""
    layout = {"sizing_mode": "stretch_width", "margin": 0, "stylesheets": [_CSS]}
    return Markup(html, css_classes=["lab-legend", *names], **{**layout, **options})
