"""Picks that read over any field: marks with dark casings, numbers, a ring around the current."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ucbpe_app import theme
from ucbpe_app.export.printing.over_field import cased, texts
from ucbpe_app.export.printing.style import PT
from ucbpe_app.figures.marks import CURRENT_SIZE, RING_SIZE, SIZE, mark_of, number
from ucbpe_app.plots import LineStyle, Points

if TYPE_CHECKING:
    from collections.abc import Sequence

    import holoviews as hv

    from ucbpe_app.run.frames import PickMark

_LIGHT = theme.OVER_FIELD


def picks(
    made: Sequence[PickMark],
    positions: Sequence[tuple[float, float]],
    across: tuple[float, float],
    *,
    numbered: bool = True,
) -> list[hv.Element]:
    """The picks at these positions, in their order; `across` is the range of x."""
    placed = list(zip(made, positions, strict=True))
    parts: list[hv.Element] = []
    for (role, current), group in groupby(placed, lambda one: (one[0].role, one[0].current)):
        mark, (x, y) = mark_of(role), zip(*(place for _, place in group), strict=True)
        if current:
            ring = LineStyle(_LIGHT)
            points = Points(x, y, size=RING_SIZE * PT, fill="none", edge=2 * PT, pen=ring)
            parts.append(cased(points, PT, 2 * PT))
        pen = LineStyle(_LIGHT, marker=LineStyle.of(mark).marker)
        size = (CURRENT_SIZE if current else SIZE) * PT
        points = Points(x, y, size=size, fill=mark.color, edge=PT, pen=pen)
        parts.append(cased(points, PT, PT))
    numbers = [(place, number(pick, place, across)) for pick, place in placed if numbered]
    labels = [(*place, *label) for place, label in numbers if label is not None]
    if labels:
        x, y, words, offsets = zip(*labels, strict=True)
        beside = tuple((offset * PT, 0.0) for offset in offsets)
        parts.append(texts(x, y, words, beside, size=12 * PT))
    return parts
