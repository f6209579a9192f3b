"""Legends in print: the entries of the dashboard's legends, in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from ucbpe_app.export.printing.style import CM
from ucbpe_app.figures.legends import FIELD_CHIP, HEIGHT
from ucbpe_app.figures.legends import WIDTH as ACROSS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from ucbpe_app.figures.legends import Entry, Shape

_SWATCH, _GAP, _SPACE, _LINE = 0.62, 0.16, 0.42, 0.47  # cm
_SIZE = 8


def write(
    figure: Figure,
    entries: Sequence[Entry],
    left: float,
    top: float,
    width: float,
    *,
    over_field: bool = False,
) -> None:
    """Draw entries in lines of this width, all in cm of the page; labels may hold formulas.

    Marks made to read over a field are shown on a chip of a field's colour.
    """
    for entry, x, line in _placed(entries, width):
        _draw(figure, entry, left + x, top + _LINE * line, over_field=over_field)


def height(entries: Sequence[Entry], width: float) -> float:
    """What `write` needs of the page."""
    return _LINE * (1 + max((line for _, _, line in _placed(entries, width)), default=-1))


def _placed(entries: Sequence[Entry], width: float) -> Iterator[tuple[Entry, float, int]]:
    x, line = 0.0, 0
    for entry in entries:
        needed = _SWATCH + _GAP + _measured(entry[1])
        if x and x + needed > width:
            x, line = 0.0, line + 1
        yield entry, x, line
        x += needed + _SPACE


def _measured(label: str) -> float:
    font, plain = FontProperties(size=_SIZE), label.replace(r"\$", "")
    formula = "$" in plain
    words = label if formula else label.replace(r"\$", "$")
    points, _, _ = text_to_path.get_text_width_height_descent(words, font, formula)
    return float(points) / 72 / CM


def _draw(figure: Figure, entry: Entry, left: float, top: float, *, over_field: bool) -> None:
    """A swatch and its label, their middle half a line below `top`."""
    shapes, label = entry
    width, height = figure.get_size_inches() / CM
    scale = _SWATCH / ACROSS
    middle = left + _SWATCH / 2, height - top - _LINE / 2
    in_cm = Affine2D().scale(1 / width, 1 / height) + figure.transFigure
    place = Affine2D().scale(scale, -scale).translate(*middle) + in_cm
    if over_field:
        corner = (-ACROSS / 2, -HEIGHT / 2)
        chip = Rectangle(corner, ACROSS, HEIGHT, transform=place, facecolor=FIELD_CHIP, lw=0)
        figure.add_artist(chip)
    for shape in shapes:
        patch = _patch(shape, scale * CM * 72)
        patch.set_transform(place)
        figure.add_artist(patch)
    where = left + _SWATCH + _GAP, middle[1]
    look: dict[str, Any] = {"fontsize": _SIZE, "va": "center_baseline"}
    figure.text(*where, label, transform=in_cm, **look)


def _patch(shape: Shape, scale: float) -> Patch:
    """A shape as a patch; `scale` is points per unit."""
    drawn = shape.line != "none"
    look: dict[str, Any] = {
        "facecolor": shape.fill,
        "edgecolor": shape.line,
        "linewidth": shape.width * scale if drawn else 0,
        "alpha": shape.opacity if shape.opacity != 1 else None,
    }
    if drawn and shape.dash:
        look["linestyle"] = (0, [length / shape.width for length in shape.dash])
    if not shape.points:
        return Circle((0, 0), shape.radius, **look)
    if shape.closed:
        return PathPatch(Path([*shape.points, shape.points[0]], closed=True), **look)
    return PathPatch(Path(shape.points), **look)
