"""Outlines of regions as print has them: lists of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pictures import outline as pictures
from ucbpe_app.pictures.outline import edges

if TYPE_CHECKING:
    from ucbpe_core.validation import Booleans, Floats

__all__ = ["edges", "outline"]


def outline(
    mask: Booleans, margin: Floats, columns: Floats, rows: Floats
) -> tuple[list[Floats], list[Floats]]:
    """A line around the points of `mask`, if there is one."""
    x, y = pictures.outline(mask, margin, columns, rows)
    return ([x], [y]) if len(x) else ([], [])
