"""A place that a person points at in a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats


@dataclass(frozen=True)
class Place:
    """A place in a figure, in the units of its axes, and how many of them a pixel is wide."""

    x: float
    y: float
    dx: float
    dy: float

    def nearest(self, x: Floats, y: Floats, reach: float = np.inf) -> int | None:
        """Index of the point (x, y), shape (M,), nearest on screen, if within `reach` px."""
        if len(x) == 0:
            return None
        squared = ((x - self.x) / self.dx) ** 2 + ((y - self.y) / self.dy) ** 2
        index = int(np.argmin(squared))
        return index if squared[index] <= reach**2 else None
