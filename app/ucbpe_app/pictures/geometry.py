"""How much room pictures keep, and where marks and names stand in them.

The browser's engine draws with the same numbers: it is sent `GEOMETRY`, and has none of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Geometry(NamedTuple):
    """Shares of a range, or of the width or height of a frame; or px."""

    # Of a range, kept free at each end, so that no mark there is cut; of the std's, half below 0.
    x_pad: float = 0.02
    y_pad: float = 0.06
    std_pad: float = 0.12
    map_pad: float = 0.04
    plane_pad: float = 0.06

    # Names of picks. Of two numbers the second is of the current pick.
    most_named: int = 50  # in a batch: names of more would hide everything
    most_listed: int = 2  # that a label lists one by one
    name_edges: tuple[float, float] = (0.9, 0.7)  # beyond it a name goes to the left of its mark
    name_gaps: tuple[float, float] = (12, 24)  # px

    # The function of one input: crosses, old and fresh, in px; the strips, from below.
    crosses: tuple[float, float] = (11, 13)
    bracket: tuple[float, float] = (0.2, 0.8)  # of the room beside the last candidate
    lower_strip: tuple[float, float] = (0.12, 0.88)
    upper_strip: tuple[float, float] = (1.12, 1.88)
    beyond_x: tuple[float, float] = (
        0.2,
        0.8,
    )  # where a text on a std off the axis fits
    beyond_y: float = 0.88

    # A map of two inputs: px across crosses, old and fresh, and across candidates off a grid.
    map_crosses: tuple[float, float] = (7, 11)
    row_of_dots: float = 240  # px of all dots in a row; of one, at least and at most
    dot: tuple[float, float] = (4, 14)
    small_dot: float = 0.4  # of those of the large map, in a small one
    bracket_gap: float = 14  # px from the middle of a mark to its name

    # The decision plane.
    plane_cells: tuple[int, int] = (240, 100)  # of its image; a cell has 1 to 2 px
    plane_many: int = 2_000  # more dots are an image: markers would delay a step
    plane_places: int = 8  # per length, where a range of means may begin
    plane_name: float = 0.8  # of the height: the name of R+
    # Of the length of a line: where its name is.
    plane_along: Mapping[str, float] = MappingProxyType(
        {"equal_upper": 0.6, "equal_lower": 0.35, "plus_edge": 0.35, "compared_edge": 0.6}
    )

    # Charts of regret; the first two in decades.
    below: float = 0.5  # between the least positive value and the place of zero
    margin: float = 0.15  # kept free at either end
    most_decades: int = 5  # with a tick; what 100 px hold without crowding
    foot: float = 0.05  # of a linear axis, kept free at its ends
    head: float = 0.12
    now: Mapping[str, float] = MappingProxyType({"simple": 0.92, "cumulative": 0.08})

    def table(self) -> dict[str, Any]:
        """All of it, by name, as JSON can have it."""
        items = self._asdict().items()
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in items}


GEOMETRY = Geometry()
