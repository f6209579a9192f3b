"""One wave over one scene: the highest ground that the water reaches along the beach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tools.tsunami.basin import Basin, Incoming, undisturbed, wall
from tools.tsunami.grid import Resolution, edges
from tools.tsunami.kernel import GHOSTS, GRAVITY
from tools.tsunami.shoreline import raise_run_up

if TYPE_CHECKING:
    from tools.tsunami.kernel import Floats
    from tools.tsunami.scene import Design

_AFTER = 4.0  # times 1 / omega, that the last part of the wave is given on the beach
# Cells that even the fastest wave has not reached are at rest, and are not advanced. To be on the
# safe side a wave is expected so many crossing times early, and so many cells further on.
_AHEAD, _CELLS = 3.0, 30


@dataclass(frozen=True, eq=False)
class RunUp:
    """The highest ground that the water reaches, in m above still water.

    Attributes
    ----------
    y : along the shore from the axis of the island, shape (ny,), m
    shore : run-up at y, shape (ny,)
    lateral : run-up on the same beach where no island is near
    """

    y: Floats
    shore: Floats
    lateral: float

    @property
    def behind(self) -> float:
        """Run-up on the axis, behind the island."""
        return float(self.shore[0])

    @property
    def amplification(self) -> float:
        """Run-up behind the island over the one without it."""
        return self.behind / self.lateral


def scene(design: Design, resolution: Resolution) -> Basin:
    """The basin, at rest, with the wave about to come in at the least x.

    It is one half: y = 0, the axis, is a mirror. At the greatest y the ghost cells hold the flow
    of one dimension over the beach without the island: what comes from the island leaves there,
    and the run-up of that flow is the lateral one, on the same cells as the one behind the island.
    """
    x, y = edges(design, resolution)
    mid_x, mid_y = (0.5 * (part[1:] + part[:-1]) for part in (x, y))
    bed = design.bed(mid_x, mid_y[:, None])
    ends = (Incoming(design.elevation), wall, wall, undisturbed)
    basin = Basin(x, y, bed, ends=ends)
    basin.bed[-GHOSTS:, GHOSTS:-GHOSTS] = design.coast(mid_x)
    return basin


def simulate(design: Design, resolution: Resolution | None = None) -> RunUp:
    """Run the wave until the beach has seen all of it."""
    resolution = resolution or Resolution()
    basin = scene(design, resolution)
    reached = _arrival(basin, design)
    seconds = resolution.seconds(design)
    # Water that went over the flanks of the island comes last: two climbs, less the way around.
    late = design.climb(design.island_slope) + _AFTER / design.omega
    rows = slice(GHOSTS, len(basin.y) + GHOSTS + 1)
    ashore = GHOSTS + int(np.searchsorted(basin.x, 0.0))
    end = design.start + reached[ashore] + late
    found = np.zeros(len(basin.y) + 1)
    while basin.time < end:
        ahead = np.searchsorted(reached, basin.time + _AHEAD * seconds)
        basin.active = min(len(basin.x), int(ahead) + _CELLS)
        basin.advance(end)
        raise_run_up(basin.depth[rows], basin.bed[rows], ashore, found)
    return RunUp(basin.y, found[:-1], float(found[-1]))


def _arrival(basin: Basin, design: Design) -> Floats:
    """When the fastest wave can be at each cell under water, s; beyond them as at the shoreline."""
    depth = np.maximum(-design.coast(basin.x), 0.0)
    speed = np.sqrt(GRAVITY * depth)
    crossing = np.divide(basin.dx[GHOSTS:-GHOSTS], speed, where=speed > 0, out=np.zeros_like(speed))
    return np.cumsum(crossing)
