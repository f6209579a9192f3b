"""The names of the picks, set beside their marks so that none covers another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ucbpe_app.figures.curve.geometry import family, height
from ucbpe_app.figures.marks import mark_of
from ucbpe_app.run.sentences import pick_label

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, PickMark

COLUMNS = ("x", "y", "text", "color", "anchor", "dx", "dy")
# Sizes in px. The frame is the one of a small window: what is clear there, and inside the frame, is
# so in a larger one.
_FRAME = (500.0, 140.0)
_LETTER, _PADDING, _HEIGHT = 8.0, 8.0, 19.0
_MARK = 8.0  # half a mark
# Where a badge may go, best first: its near corner, seen from the mark, right and up.
_PLACES = ((9, 8), (-9, 8), (9, -8), (-9, -8), (9, 28), (-9, 28), (9, -28), (-9, -28))


class _Box(NamedTuple):
    left: float
    right: float
    bottom: float
    top: float

    def overlaps(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def leaves(self, width: float, height: float) -> bool:
        return self.left < 0 or self.right > width or self.bottom < 0 or self.top > height


def badges(
    frame: Frame, across: tuple[float, float], upwards: tuple[float, float]
) -> dict[str, list[Any]]:
    """Return the badges' columns; `across` and `upwards` are the ranges of the axes."""
    groups = _groups(frame)
    points = [(_FRAME[0] * _share(x, across), _FRAME[1] * _share(y, upwards)) for _, x, y in groups]
    taken = [_Box(x - _MARK, x + _MARK, y - _MARK, y + _MARK) for x, y in points]
    rows: list[tuple[Any, ...]] = []
    for (members, x, y), point in zip(groups, points, strict=True):
        text = ", ".join(pick_label(pick.number) for pick in members)
        (dx, dy), box = _place(text, point, taken)
        taken.append(box)
        mark = mark_of(members[0].role)
        anchor = f"{'bottom' if dy > 0 else 'top'}_{'left' if dx > 0 else 'right'}"
        rows.append((x, y, text, mark.color, anchor, dx, -dy))  # a screen's y points down
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def _groups(frame: Frame) -> list[tuple[list[PickMark], float, float]]:
    """Picks of one candidate share a badge, at their mark or at their highest measurement."""
    heights = [height(frame, pick) for pick in frame.picks]
    if frame.fresh and frame.picks:
        heights = frame.observed_y[-frame.fresh :].tolist()
    groups: dict[tuple[int, str], list[tuple[PickMark, float]]] = {}
    for pick, y in zip(frame.picks, heights, strict=True):
        groups.setdefault((pick.index, family(pick)), []).append((pick, y))
    return [
        ([pick for pick, _ in group], float(group[0][0].x[0]), max(y for _, y in group))
        for group in groups.values()
    ]


def _place(
    text: str, point: tuple[float, float], taken: list[_Box]
) -> tuple[tuple[int, int], _Box]:
    """Return the first place that is free and inside the frame, or else the least crowded."""
    boxes = {place: _box(text, point, place) for place in _PLACES}

    def crowding(place: tuple[int, int]) -> int:
        box = boxes[place]
        return sum(box.overlaps(other) for other in taken) + 9 * box.leaves(*_FRAME)

    best = min(_PLACES, key=crowding)
    return best, boxes[best]


def _box(text: str, point: tuple[float, float], place: tuple[int, int]) -> _Box:
    (x, y), (dx, dy) = point, place
    width = _LETTER * len(text) + _PADDING
    left = x + dx if dx > 0 else x + dx - width
    bottom = y + dy if dy > 0 else y + dy - _HEIGHT
    return _Box(left, left + width, bottom, bottom + _HEIGHT)


def _share(value: float, extent: tuple[float, float]) -> float:
    return (value - extent[0]) / (extent[1] - extent[0])
