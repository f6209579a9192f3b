"""A rectangular grid that is as fine as the waves are short."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tools.tsunami.kernel import GRAVITY

if TYPE_CHECKING:
    from tools.tsunami.kernel import Floats
    from tools.tsunami.scene import Design

_SUMMIT = 30.0  # m, where the grid ends; no wave of the box comes near it
_WIDENING = 1.04  # from cell to cell, beside the island
_RELAXED = 4.0  # times wider cells at the shoreline, for long waves


@dataclass(frozen=True)
class Resolution:
    """What a grid's cells follow from, besides the design.

    A long wave crosses every cell under water in the same time, so that one time step suits all
    of them: cells narrow towards the shore as the wave slows down and grows short.

    Attributes
    ----------
    crossing : that time, in units of 1 / omega
    longest : at most this time, s; small islands must be seen by long waves too
    rise : of the beach over a cell at the shoreline, m, for a wave that is close to breaking.
        For longer waves up to four times that: their run-up is a smooth surface.
    growth : of a cell on land, in units of its distance from the shoreline
    margin : of flat bottom before the island and beside it, in units of speed / omega
    """

    crossing: float = 0.04
    longest: float = 2.0
    rise: float = 0.08
    growth: float = 0.01
    margin: float = 1.0

    def finer(self, factor: float) -> Resolution:
        """All cells smaller by `factor`."""
        return replace(
            self,
            crossing=self.crossing / factor,
            longest=self.longest / factor,
            rise=self.rise / factor,
            growth=self.growth / factor,
        )

    def seconds(self, design: Design) -> float:
        """That a long wave takes to cross a cell."""
        return min(self.longest, self.crossing / design.omega)


def edges(design: Design, resolution: Resolution) -> tuple[Floats, Floats]:
    """Of the cells in x and in y, m, both ascending; the shoreline x = 0 is one of them."""
    return _cross_shore(design, resolution), _along_shore(design, resolution)


def _cross_shore(design: Design, resolution: Resolution) -> Floats:
    slope, seconds = design.beach_slope, resolution.seconds(design)
    # A wave of some 7 m of run-up has the breaking number 0.7 (omega / slope)^2, and breaks at 1.
    # From 0.1 downwards its cells are relaxed.
    relaxed = np.clip(0.14 * (slope / design.omega) ** 2, 1.0, _RELAXED)
    least = resolution.rise * relaxed / slope
    land = [0.0]
    while land[-1] * slope < _SUMMIT:
        land.append(land[-1] + max(least, resolution.growth * land[-1]))
    sea = [0.0]
    while sea[-1] > design.toe:
        sea.append(sea[-1] - max(least, seconds * np.sqrt(-GRAVITY * slope * sea[-1])))
    west = design.centre - design.radius - resolution.margin * design.reach
    while sea[-1] > west:
        sea.append(sea[-1] - seconds * design.speed)
    return np.array(sea[:0:-1] + land)


def _along_shore(design: Design, resolution: Resolution) -> Floats:
    width = resolution.seconds(design) * design.speed
    y = [0.0]
    while y[-1] < design.radius + resolution.margin * design.reach:
        width *= _WIDENING if y[-1] > design.radius else 1.0
        y.append(y[-1] + width)
    return np.array(y)
