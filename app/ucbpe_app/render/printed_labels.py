"""The labels of a printed plot: at the ends of lines and next to points, kept apart.

The rule is that of `labels.js`, in points instead of pixels; and labels avoid all marks.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from matplotlib.colors import to_hex, to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patheffects import Stroke
from matplotlib.textpath import text_to_path

from ucbpe_app.pictures.looks import STYLES
from ucbpe_app.pictures.marks import PICKS
from ucbpe_app.pictures.picture import Label
from ucbpe_app.plots.prints import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from ucbpe_app.pictures.picture import Plot
    from ucbpe_app.render.printed import Box

_SIZE, _LINE, _MARGIN = 8.0, 9.8, 4.0  # points: of letters, from line to line, of the page
_STRONG, _QUIET = "#222222", "#555555"
INK = 0.7  # how much of its mark's colour a label has; the rest is black
_APART, _BESIDE, _ABOVE, _MARK, _SIDE = 1.2, 14.0, 18.0, 9.0, 4.0  # px, as in `labels.js`
_FEW = 200  # points
_PLACES = ((9, 6), (-9, 6), (9, -6), (-9, -6), (9, 26), (-9, 26), (9, -26), (-9, -26))

_Rect = tuple[float, float, float, float]  # left, top, right, bottom


def spread(middles: Sequence[float], heights: Sequence[float], extent: float) -> list[float]:
    """Middles of labels of these heights, each near its own, in order and within the extent."""
    order = sorted(range(len(middles)), key=lambda i: middles[i])
    placed, free = list(middles), 0.0
    for i in order:
        placed[i] = max(placed[i], free + heights[i] / 2)
        free = placed[i] + heights[i] / 2 + _APART
    free = extent
    for i in reversed(order):
        placed[i] = min(placed[i], free - heights[i] / 2)
        free = placed[i] - heights[i] / 2 - _APART
    return placed


def free_place(
    point: tuple[float, float],
    size: tuple[float, float],
    taken: Sequence[_Rect],
    frame: _Rect,
    px: float,
) -> _Rect:
    """The first place of a label that is free and inside the frame, or else the least crowded."""
    (x, y), (width, height) = point, size
    boxes = []
    for right, up in _PLACES:
        left = x + px * right - (0 if right > 0 else width)
        top = y - px * up - (height if up > 0 else 0)
        boxes.append((left, top, left + width, top + height))

    def crowding(box: _Rect) -> float:
        left, top, right, bottom = box
        outside = left < frame[0] or top < frame[1] or right > frame[2] or bottom > frame[3]
        return sum(_overlaps(box, other) for other in taken) + 9 * outside

    return min(boxes, key=crowding)


def _overlaps(one: _Rect, other: _Rect) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def write_heading(figure: Figure, words: str, plot: Plot, frame: Box) -> None:
    """Name a picture among others, above its frame and what is written there."""
    width, height = figure.get_size_inches() * 72
    above = 3 + _LINE * any(label.place in ("title", "axis") for label in plot.labels)
    x, y = frame.left / width, 1 - (frame.top - above) / height
    figure.text(x, y, literal(words), fontsize=_SIZE + 1, fontweight="bold", va="bottom")


def write_labels(figure: Figure, plot: Plot, frame: Box, page: float, px: float) -> None:
    """Write the labels of a plot on a figure.

    Parameters
    ----------
    frame : of the plot
    page : points across that labels at line ends may reach
    px : points for a pixel of the screen
    """
    _Writer(figure, plot, frame, page, px).all()


class _Writer:
    """Labels of one plot, placed in points from the upper left corner of its frame."""

    def __init__(self, figure: Figure, plot: Plot, frame: Box, page: float, px: float) -> None:
        self._figure, self._plot, self._frame, self._px = figure, plot, frame, px
        self._room = page - frame.left - _BESIDE * px - _MARGIN  # right of the frame's left edge
        self._taken: list[_Rect] = []

    def all(self) -> None:
        """Write them."""
        px, (_, _, width, height) = self._px, self._frame
        moved = 0.0  # a name of the vertical axis that is wider than the border moves the title
        for label in self._of("axis"):
            moved = max(0.0, _width(label.text) + 6 * px + _MARGIN - self._frame.left)
            self.write(label, moved - 6 * px, -4 * px, va="bottom", ha="right")
        for label in self._of("title"):
            ink = _STRONG if label.strong else ""
            self.write(label, moved, -4 * px, ink=ink, va="bottom")
            end = moved + _width(label.text, strong=label.strong)
            self._taken.append((moved, -4 * px - _LINE, end, -4 * px))
        for label in self._of("note"):
            self.write(label, width, -4 * px, va="bottom", ha="right", fontsize=_SIZE - 1)
            self._taken.append((width - _width(label.text), -4 * px - _LINE, width, -4 * px))
        for label in self._of("corner"):
            self.write(label, width + _BESIDE * px, height + 9 * px, va="top")
        self.level(self._of("end"), end=True)
        # Where a line ends too near the edge, its name is left of its end.
        near, right = list[Label](), list[Label]()
        for label in self._of("tip"):
            fits = self.at(label)[0] + _width(label.text) <= self._room
            (right if fits else near).append(label)
        for x in dict.fromkeys(label.x for label in right):  # lines that end together
            self.level([label for label in right if label.x == x], end=False)
        self.points([*self._of("point"), *near])
        for label in self._of("inside"):
            self.inside(label)

    def _of(self, place: str) -> list[Label]:
        return [label for label in self._plot.labels if label.place == place]

    def at(self, label: Label) -> tuple[float, float]:
        """What a label names."""
        x, y = self._plot.x.fraction(label.x), self._plot.y.fraction(label.y)
        return x * self._frame.width, (1 - y) * self._frame.height

    def level(self, labels: Sequence[Label], *, end: bool) -> None:
        """Labels right of the frame or of line ends, kept apart, with leaders to those."""
        lefts = [self._frame.width if end else self.at(label)[0] for label in labels]
        texts = [
            _wrapped(label.text, self._room - left)
            for label, left in zip(labels, lefts, strict=True)
        ]
        middles = [self.at(label)[1] for label in labels]
        placed = spread(middles, [_LINE * len(lines) for lines in texts], self._frame.height)
        for label, lines, middle, y, left in zip(
            labels, texts, middles, placed, lefts, strict=True
        ):
            start = left + _BESIDE * self._px
            if abs(y - middle) > 3 * self._px:
                ends = [self._on(left, middle), self._on(start - 2, y)]
                look: dict[str, Any] = {"linewidth": 0.6, "alpha": 0.7}
                line = Line2D(*zip(*ends, strict=True), color=_ink(label), **look)
                self._figure.add_artist(line)
            half = _LINE * len(lines) / 2
            self._taken.append((start, y - half, start + max(map(_width, lines)), y + half))
            self.write(label, start, y, va="center", text="\n".join(lines), halo=not end)

    def inside(self, label: Label) -> None:
        """A label around its place, or as far from the other end of the frame if that is taken."""
        x, y = self.at(label)
        half = _width(label.text) / 2
        boxes = [
            (x - half, at - _LINE / 2, x + half, at + _LINE / 2)
            for at in (y, self._frame.height - y)
        ]
        free = [box for box in boxes if not any(_overlaps(box, rect) for rect in self._taken)]
        _, top, _, bottom = (free or boxes)[0]
        self.write(label, x, (top + bottom) / 2, ha="center", va="center_baseline", halo=True)

    def points(self, labels: Sequence[Label]) -> None:
        """Labels next to the points that they name."""
        px, frame = self._px, (0.0, -_ABOVE * self._px, self._frame.width, self._frame.height)
        half = _MARK * px
        places = [self.at(label) for label in labels]
        taken = [(x - half, y - half, x + half, y + half) for x, y in (*places, *self._marks)]
        taken += self._taken
        for label, place in zip(labels, places, strict=True):
            size = _width(label.text, strong=label.strong), _LINE
            box = free_place(place, size, taken, frame, px)
            left, top, right, bottom = box
            taken.append((left - _SIDE * px, top, right + _SIDE * px, bottom))
            self.write(label, box[0], (box[1] + box[3]) / 2, va="center", halo=True)

    @property
    def _marks(self) -> list[tuple[float, float]]:
        """Where the points are that no label may cover; where there are many, it may."""
        return [
            self.at(Label("", x=float(x), y=float(y)))
            for mark in self._plot.marks
            if STYLES[mark.role].shape == "points" and len(mark.columns["x"]) <= _FEW
            for x, y in zip(mark.columns["x"], mark.columns["y"], strict=True)
        ]

    def write(
        self,
        label: Label,
        x: float,
        y: float,
        *,
        text: str = "",
        halo: bool = False,
        ink: str = "",
        **look: Any,
    ) -> None:
        """Write a label; a halo is drawn apart, below text that stays text."""
        look = {
            "fontsize": _SIZE, "fontweight": "bold" if label.strong else "normal",
            "linespacing": _LINE / _SIZE, **look,
        }  # fmt: skip
        words = literal(text or label.text)
        if halo:
            stroke = Stroke(linewidth=2.0, foreground="white")
            self._figure.text(*self._on(x, y), words, path_effects=[stroke], **look)
        self._figure.text(*self._on(x, y), words, color=ink or _ink(label), **look)

    def _on(self, x: float, y: float) -> tuple[float, float]:
        width, height = self._figure.get_size_inches() * 72
        return (self._frame.left + x) / width, 1 - (self._frame.top + y) / height


def _ink(label: Label) -> str:
    """The colour of what a label names, darker, so that text in it reads on white."""
    if label.inks:
        return label.inks[0]
    mark = PICKS.get(label.role) or (STYLES[label.role].mark if label.role in STYLES else None)
    if mark is None:
        return _QUIET
    red, green, blue = to_rgb(mark.color)
    return to_hex((INK * red, INK * green, INK * blue))


def _width(text: str, *, strong: bool = False) -> float:
    font = FontProperties(size=_SIZE, weight="bold" if strong else "normal")
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


def _wrapped(text: str, room: float) -> list[str]:
    """A text in lines that fit."""
    if (needed := _width(text)) <= room:
        return [text]
    return textwrap.wrap(text, int(len(text) * room / needed))
