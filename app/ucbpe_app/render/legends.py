"""What is written over and around a plot, as HTML: its labels, and legends with SVG swatches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app import theme
from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.pictures.looks import LINES
from ucbpe_app.private.panel import Component
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.glossary import explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pictures.looks import Line
    from ucbpe_app.pictures.picture import Plot


def _look_of(line: Line) -> str:
    """CSS: the ink of a line's name, and its sign where names are above the plot."""
    mark, width = line.style.mark, line.style.width
    ink = f"light-dark({mark.color}, {theme.DARK.get(mark.color, mark.color)})"
    own = "" if mark.color == theme.INK else f".ink-{line.role} {{ --ink: {ink}; }}"
    dash = {"dotdash": "dashed"}.get(mark.dash, mark.dash)
    return f"{own} .keyed .ink-{line.role}::before {{ border-top: {width}px {dash}; }}"


class Labels(Component):
    """Labels that keep apart from each other, whatever the size of the plot."""

    items = param.List([], item_type=dict, doc="Those of `items_of`.")
    borders = param.Tuple((0, 0, 0, 0), doc="Px around the frame: left, right, top, bottom.")
    press = param.String("", doc="What a press on the plot does, or empty where it does nothing.")

    _esm = Path(__file__).with_name("labels.js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [
        theme.inks(),
        Path(__file__).with_name("labels.css").read_text(encoding="utf-8"),
        " ".join(map(_look_of, LINES)),
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter of a component."""
        super().__init__(css_classes=["lab-labels"], margin=0, **params)
        self.on_press: Callable[[], None] | None = None

    def receive(self, data: Any) -> None:
        """A person pressed."""
        if self.on_press is not None:
            self.on_press()


def items_of(plot: Plot) -> list[dict[str, Any]]:
    """The labels of a plot; what they name, as shares of the width and the height of its frame."""
    return [
        {
            "text": label.text,
            "role": label.role,
            "place": label.place,
            "strong": label.strong,
            "meaning": explain(label.text),
            "x": plot.x.fraction(label.x),
            "y": plot.y.fraction(label.y),
            **({"color": in_either_theme(label.inks)} if label.inks else {}),
        }
        for label in plot.labels
    ]


def in_either_theme(inks: tuple[str, str]) -> str:
    """The CSS colour of inks for light pages and for dark ones."""
    return f"light-dark({', '.join(inks)})"


_CSS = """
:host(.lab-legend) {
  color: var(--mui-palette-text-secondary, #5f6368);
  font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif);
  font-size: var(--legend-size, 0.8125rem);
  line-height: var(--legend-line, 1.5);
}
svg { flex: none; border-radius: 3px; }
"""
_SWATCH = Html('<svg width="26" height="18" viewBox="-13 -9 26 18" aria-hidden="true"{}>{}</svg>')
_LOOK = Html('fill="{}" stroke="{}" stroke-width="{:g}"')
_CIRCLE, _PATH = Html('<circle r="{:g}" {}/>'), Html('<path d="M{}{}" {}/>')


@dataclass(frozen=True)
class Shape:
    """A part of a swatch, y pointing down: a line through points, an outline, or a circle.

    Attributes
    ----------
    points : of the line or outline; none for a circle
    closed : whether the line ends where it began
    radius : of a circle around the origin
    fill, line : colours, or "none"
    width : of the line
    """

    points: tuple[tuple[float, float], ...] = ()
    closed: bool = True
    radius: float = 0.0
    fill: str = "none"
    line: str = "none"
    width: float = 1.0

    @property
    def svg(self) -> Html:
        look = _LOOK.format(self.fill, self.line, self.width)
        if not self.points:
            return _CIRCLE.format(self.radius, look)
        path = "L".join(f"{x:g} {y:g}" for x, y in self.points)
        return _PATH.format(path, "Z" if self.closed else "", look)


Shapes = tuple[Shape, ...]

_BOX: dict[str, Any] = {"points": ((-5, -5), (5, -5), (5, 5), (-5, 5))}
_MARKERS: dict[str, tuple[dict[str, Any], ...]] = {
    "circle": ({"radius": 4.5},),
    "square": ({"points": ((-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5))},),
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
    "circle_dot": ({"radius": 6}, {"radius": 1.5}),
    "square_cross": (
        _BOX,
        {"points": ((-5, 0), (5, 0)), "closed": False},
        {"points": ((0, -5), (0, 5)), "closed": False},
    ),
    "square_x": (
        _BOX,
        {"points": ((-5, -5), (5, 5)), "closed": False},
        {"points": ((-5, 5), (5, -5)), "closed": False},
    ),
}


def point(marker: str, color: str, *, line: str = "none", width: float = 1) -> Shapes:
    """A marker around the origin."""
    parts = _MARKERS.get(marker, _MARKERS["circle"])
    return tuple(Shape(**part, fill=color, line=line, width=width) for part in parts)


@lru_cache(maxsize=256)
def swatch(shapes: Shapes, attributes: Html = EMPTY) -> Html:
    """SVG element of shapes around the origin, as large as a legend's entry."""
    return _SWATCH.format(attributes, joined(shape.svg for shape in shapes))


def text(html: Html = EMPTY, *names: str, **options: Any) -> Markup:
    """Return a pane of legend text with further class names."""
    layout = {"sizing_mode": "stretch_width", "margin": 0, "stylesheets": [_CSS]}
    return Markup(html, css_classes=["lab-legend", *names], **{**layout, **options})
