"""The dashboard's legends on paper: the same entries, their swatches drawn again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from ucbpe_app.export.printing.style import CM, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

_SHAPES = ("path", "polygon", "circle", "rect")
_STEP = re.compile(r"([MHVLZ])|(-?\d+(?:\.\d+)?)")
_WIDTH, _HEIGHT = 26.0, 18.0  # of a swatch as SVG, whose origin is in the middle
_SWATCH, _GAP, _SPACE, _LINE = 0.62, 0.16, 0.42, 0.47  # cm
_SIZE = 8


@dataclass
class Entry:
    """A label, and the shapes of its swatch as SVG has them: tag and attributes."""

    label: str = ""
    shapes: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    item: str | None = None  # a colour behind marks that are made to read over a field


@dataclass
class Words:
    """A heading, the entries of a legend, and a note: what a pane of the dashboard says."""

    heading: str = ""
    entries: list[Entry] = field(default_factory=list)
    note: str = ""


def read(html: str) -> Words:
    """The words and swatches of a pane; what it hides is left out."""
    reader = _Reader()
    reader.feed(html)
    reader.words.note = " ".join(reader.words.note.split())
    for entry in reader.words.entries:
        entry.label = " ".join(entry.label.split())
    return reader.words


def write(figure: Figure, entries: list[Entry], left: float, top: float, width: float) -> None:
    """Draw entries one after the other, in lines of this width; all in cm of the page."""
    for entry, x, line in _placed(entries, width):
        _draw(figure, entry, left + x, top + _LINE * line)


def height(entries: list[Entry], width: float) -> float:
    """What `write` needs of the page."""
    return _LINE * (1 + max((line for _, _, line in _placed(entries, width)), default=-1))


def _placed(entries: list[Entry], width: float) -> Iterator[tuple[Entry, float, int]]:
    x, line = 0.0, 0
    for entry in entries:
        needed = _SWATCH + _GAP + _measured(entry.label)
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


def _draw(figure: Figure, entry: Entry, left: float, top: float) -> None:
    """A swatch and its label, their middle half a line below `top`."""
    width, height = figure.get_size_inches() / CM
    scale = _SWATCH / _WIDTH
    middle = left + _SWATCH / 2, height - top - _LINE / 2
    in_cm = Affine2D().scale(1 / width, 1 / height) + figure.transFigure
    place = Affine2D().scale(scale, -scale).translate(*middle) + in_cm
    if entry.item is not None:
        corner, size = (-_WIDTH / 2, -_HEIGHT / 2), (_WIDTH, _HEIGHT)
        figure.add_artist(Rectangle(corner, *size, transform=place, facecolor=entry.item, lw=0))
    for tag, own in entry.shapes:
        shape = _shape(tag, own, scale * CM * 72)
        shape.set_transform(place)
        figure.add_artist(shape)
    where = left + _SWATCH + _GAP, middle[1]
    look: dict[str, Any] = {"fontsize": _SIZE, "va": "center_baseline"}
    figure.text(*where, entry.label, transform=in_cm, **look)


class _Reader(HTMLParser):
    """Collects words; a formula's parts become Matplotlib's notation of it."""

    def __init__(self) -> None:
        super().__init__()
        self.words = Words()
        self._entry: Entry | None = None
        self._styles = [dict[str, str]()]
        self._open: list[str] = []
        self._scripts: list[str] | None = None
        self._low = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        if tag == "li":
            self._entry = Entry()
            if "aria-hidden" not in own:
                self.words.entries.append(self._entry)
        elif tag == "svg" and self._entry is not None and "style" in own:
            self._entry.item = own["style"].removeprefix("background:")
        elif tag == "g":
            self._styles.append(own)
        elif tag in _SHAPES and self._entry is not None:
            self._entry.shapes.append((tag, {**self._styles[-1], **own}))
        elif own.get("class", "").startswith("scripts"):
            self._scripts, self._low = [], "low" in own["class"]
        if tag not in _SHAPES:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SHAPES:
            return
        if tag == "g":
            self._styles.pop()
        while self._open and self._open.pop() != tag:
            pass
        if tag == "li":
            self._entry = None
        elif tag == "span" and self._scripts is not None and "span" not in self._open[-1:]:
            upper, lower = [], self._scripts
            if not self._low:
                upper, lower = self._scripts[:1], self._scripts[1:]
            self._say("".join(f"^{{{one}}}" for one in upper))
            self._say("".join(f"_{{{one}}}" for one in lower) + "$")
            self._scripts = None

    def handle_data(self, data: str) -> None:
        if self._scripts is not None:
            self._scripts.append(data)
        elif "i" in self._open:
            self._say(f"${data}")
        else:
            self._say(data if self._entry is None else literal(data))

    def _say(self, words: str) -> None:
        if self._entry is not None:
            self._entry.label += words
        elif "h3" in self._open:
            self.words.heading += words
        else:
            self.words.note += words


def _shape(tag: str, own: dict[str, str], scale: float) -> Patch:
    """An SVG shape as a patch; `scale` is points per unit."""
    dashes = [float(part) * scale for part in own.get("stroke-dasharray", "").split()]
    width = float(own.get("stroke-width", 1)) * scale
    look: dict[str, Any] = {
        "facecolor": own.get("fill", "black"),
        "edgecolor": own.get("stroke", "none"),
        "linewidth": width if own.get("stroke", "none") != "none" else 0,
        "alpha": float(own["opacity"]) if "opacity" in own else None,
    }
    if dashes and width:
        look["linestyle"] = (0, [length / width for length in dashes])
    if tag == "circle":
        return Circle((0, 0), float(own["r"]), **look)
    if tag == "rect":
        corner = float(own["x"]), float(own["y"])
        return Rectangle(corner, float(own["width"]), float(own["height"]), **look)
    if tag == "polygon":
        numbers = [float(part) for part in re.findall(r"-?[\d.]+", own["points"])]
        return Polygon(list(zip(numbers[::2], numbers[1::2], strict=True)), **look)
    return PathPatch(_path(own["d"]), **look)


def _path(description: str) -> Path:
    """An SVG path of straight lines: M, L, H, V and Z, all absolute."""
    points, codes = list[tuple[float, float]](), list[Any]()
    command, numbers = "M", list[float]()
    x = y = 0.0
    for letter, digits in _STEP.findall(description):
        if letter:
            command, numbers = letter, []
            if letter == "Z":
                points.append((0.0, 0.0))
                codes.append(Path.CLOSEPOLY)
            continue
        numbers.append(float(digits))
        if len(numbers) < (1 if command in "HV" else 2):
            continue
        x = numbers[0] if command in "HML" else x
        y = numbers[-1] if command in "VML" else y
        points.append((x, y))
        codes.append(Path.MOVETO if command == "M" else Path.LINETO)
        command, numbers = ("L" if command == "M" else command), []
    return Path(points, codes)
