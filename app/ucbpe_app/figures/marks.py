"""Picks and data as marks that read over any field, and in both themes.

Each mark is drawn twice, a dark casing below its light outline. Both shapes are rows of one source:
the browser's work grows with the number of glyphs, of which four squares have many, not with rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import ColumnDataSource

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.sources import put
from ucbpe_app.run.sentences import role_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bokeh.plotting import figure as Figure

    from ucbpe_app.run.frames import PickMark

    Position = tuple[float, float]
    Row = tuple[object, ...]

DARK, LIGHT, CLEAR = theme.OVER_FIELD_CASING, theme.OVER_FIELD, "#00000000"
MARKS = {"ucb": theme.UCB_PICK, "pe": theme.PE_PICK, "init": theme.PE_PICK}
SIZE, CURRENT_SIZE, RING_SIZE = 16, 21, 29  # px
DATA_SIZE, FRESH_SIZE = 6, 10
_EDGE = 0.88  # beyond this share of the width a number goes to the left of its mark
_GAP, _CURRENT_GAP = 9, 18
_SHAPE = ("x", "y", "marker", "size", "fill", "line", "width")
_NUMBER = ("x", "y", "text", "align", "offset")


def mark_of(role: str) -> theme.Mark:
    """How picks of a role are drawn."""
    return MARKS.get(role, theme.OTHER_PICK)


def pick_entries(roles: Sequence[str]) -> list[legends.Entry]:
    """Swatches and names of roles for a legend, those that look alike together."""
    looks: dict[tuple[str, str], list[str]] = {}
    for role in roles:
        mark = mark_of(role)
        looks.setdefault((mark.marker, mark.color), []).append(role_name(role))
    point = legends.point
    return [
        (point(*look, line=DARK, width=3) + point(*look, line=LIGHT), ", ".join(names))
        for look, names in looks.items()
    ]


class Picks:
    """The picks of a batch: a marker by role, a number beside it, a ring around the current one."""

    def __init__(self) -> None:
        self.shapes = ColumnDataSource(_columns(_SHAPE, ()))
        self.numbers = ColumnDataSource(_columns(_NUMBER, ()))

    def attach(self, plot: Figure) -> None:
        """Draw them in a figure."""
        plot.scatter(
            "x",
            "y",
            source=self.shapes,
            marker="marker",
            size="size",
            fill_color="fill",
            line_color="line",
            line_width="width",
        )
        # The outline of a text covers the text itself, so the text comes once more without. As rows
        # of one glyph they would have colors of their own, and Bokeh fails where it paints texts of
        # one run with the fewer colors of the next.
        for fill, line in ((DARK, DARK), (LIGHT, CLEAR)):
            plot.text(
                "x",
                "y",
                text="text",
                source=self.numbers,
                x_offset="offset",
                text_align="align",
                text_baseline="middle",
                text_font={"value": theme.FONT},
                text_font_size="12px",
                text_font_style="bold",
                text_color=fill,
                text_outline_color=line,
                text_outline_width=3,
            )

    def draw(
        self,
        picks: Sequence[PickMark],
        positions: Sequence[Position],
        extent: tuple[float, float],
        *,
        numbered: bool = True,
    ) -> None:
        """Show picks at positions; `extent` is the x-range, whose right end numbers avoid."""
        placed = list(zip(picks, positions, strict=True))
        put(self.shapes, _columns(_SHAPE, (row for one in placed for row in _shapes(*one))))
        numbers = [
            (*position, label[0], "left" if label[1] > 0 else "right", label[1])
            for pick, position in placed
            if numbered and (label := number(pick, position, extent))
        ]
        put(self.numbers, _columns(_NUMBER, numbers))


def _columns(names: tuple[str, ...], rows: Iterable[Row]) -> dict[str, list[object]]:
    rows = list(rows)
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _shapes(pick: PickMark, position: Position) -> list[Row]:
    """Rows of one pick, from below upwards."""
    mark = mark_of(pick.role)
    size = CURRENT_SIZE if pick.current else SIZE
    ring = [
        (*position, "circle", RING_SIZE, CLEAR, line, width)
        for line, width in ((DARK, 4.0), (LIGHT, 2.0))
    ]
    return [
        *(ring if pick.current else []),
        (*position, mark.marker, size, CLEAR, DARK, 3.0),
        (*position, mark.marker, size, mark.color, LIGHT, 1.0),
    ]


def number(
    pick: PickMark, position: Position, extent: tuple[float, float]
) -> tuple[str, int] | None:
    """The number of a pick, and how many px right of it, or left near the right end of `extent`.

    A star alone is x⁰: it has none.
    """
    if pick.number == 0 and pick.role == "ucb":
        return None
    gap = _CURRENT_GAP if pick.current else _GAP
    near_end = position[0] > extent[0] + _EDGE * (extent[1] - extent[0])
    return str(pick.number), -gap if near_end else gap
