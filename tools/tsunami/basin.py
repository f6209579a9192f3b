"""A basin of water on a rectangular grid, and how it moves: sweeps in x and in y by turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tools.tsunami.kernel import GHOSTS, GRAVITY, fastest, sweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tools.tsunami.kernel import Floats

COURANT = 0.8  # of the sweeps, which are stable up to 1


class Water(NamedTuple):
    """Views of the fields, shape (lines, cells): h, h u with u along the lines, h v, and b."""

    depth: Floats
    along: Floats
    across: Floats
    bed: Floats

    def turned(self) -> Water:
        """The same lines from their other end; h u keeps its sign."""
        return Water(*(field[:, ::-1] for field in self))


# Sets the ghost cells beyond one end of every line at a time in s: they are the first two columns
# of the water as it is given, which lies behind them.
End: TypeAlias = Callable[[Water, float], None]


def wall(water: Water, time: float) -> None:
    """A mirror: nothing goes through."""
    for ghost, inner in ((1, 2), (0, 3)):
        water.depth[:, ghost] = water.depth[:, inner]
        water.along[:, ghost] = -water.along[:, inner]
        water.across[:, ghost] = water.across[:, inner]


def undisturbed(water: Water, time: float) -> None:
    """The flow that would be there if nothing in the basin varied across this end.

    The nearer ghost cell is advanced by the sweeps that run along the end and by none across it,
    so that it holds the flow of one dimension; what comes from inside leaves.
    """
    for field in (water.depth, water.along, water.across):
        field[:, 0] = field[:, 1]


class Incoming:
    """At the least x: a wave sent in from still water; what comes from inside goes out.

    The wave is simple: u - 2 sqrt(g h) is as in still water, and u + 2 sqrt(g h) follows from its
    elevation. Ghost cells take the latter from the wave and the former from inside.
    """

    def __init__(self, elevation: Callable[[float], float]) -> None:
        self.elevation = elevation

    def __call__(self, water: Water, time: float) -> None:
        h, bed = water.depth[:, 2], water.bed[:, 2]
        still, raised = np.sqrt(-GRAVITY * bed), np.sqrt(GRAVITY * (self.elevation(time) - bed))
        sent = 4.0 * raised - 2.0 * still  # u + 2 raised, where u = 2 (raised - still)
        outgoing = water.along[:, 2] / h - 2.0 * np.sqrt(GRAVITY * h)
        u, c = (sent + outgoing) / 2.0, (sent - outgoing) / 4.0
        for ghost in (0, 1):
            water.depth[:, ghost] = c * c / GRAVITY
            water.along[:, ghost] = u * water.depth[:, ghost]
            water.across[:, ghost] = water.across[:, 2] / h * water.depth[:, ghost]


class Basin:
    """Depth and discharges on a grid of nx by ny cells, two ghost cells beyond each side.

    With one row the flow is that of one dimension.

    Parameters
    ----------
    x, y : edges of the cells, shapes (nx + 1,) and (ny + 1,), m
    bed : elevation of the ground at the cells, shape (ny, nx), m
    surface : elevation of the water, a number or shape (ny, nx); ground above it is dry
    ends : what stands at the least and the greatest x, the least and the greatest y

    Attributes
    ----------
    x, y : centres of the cells
    depth, along, across, bed : h, h u, h v (u along x) and b, shape (ny + 4, nx + 4)
    active : so many columns move; the caller knows the others to be at rest
    time, steps : s since the beginning, and in how many steps
    """

    def __init__(
        self,
        x: Floats,
        y: Floats,
        bed: Floats,
        surface: ArrayLike = 0.0,
        ends: tuple[End, End, End, End] = (wall, wall, wall, wall),
    ) -> None:
        self.dx, self.dy = (np.pad(np.diff(edges), GHOSTS, mode="symmetric") for edges in (x, y))
        self.x, self.y = (0.5 * (edges[1:] + edges[:-1]) for edges in (x, y))
        level = np.broadcast_to(np.asarray(surface, dtype=float), bed.shape)
        # What a mirror shows; of a single row, that row.
        self.bed, level = (np.pad(field, GHOSTS, mode="symmetric") for field in (bed, level))
        self.depth = np.maximum(0.0, level - self.bed)
        self.along = np.zeros_like(self.depth)
        self.across = np.zeros_like(self.depth)
        self.ends = ends
        self.active = len(self.x)
        self.time = 0.0
        self.steps = 0

    @property
    def inner(self) -> tuple[slice, slice]:
        """The cells that are not ghosts, of `depth`, `along`, `across` and `bed`."""
        return slice(GHOSTS, -GHOSTS), slice(GHOSTS, -GHOSTS)

    @property
    def volume(self) -> float:
        """Of the water, m^3."""
        inside = slice(GHOSTS, -GHOSTS)
        return float(self.dy[inside] @ self.depth[self.inner] @ self.dx[inside])

    def advance(self, until: float) -> float:
        """One step, to `until` at most; return its length in s."""
        rows, columns = self._moving()
        # One row has no waves across it.
        heights = self.dy if len(self.y) > 1 else np.full_like(self.dy, np.inf)
        fields = self.depth, self.along, self.across, self.dx, heights
        rate = fastest(*fields, (rows.start, rows.stop), (columns.start, columns.stop))
        dt = until - self.time
        if rate > 0:
            dt = min(COURANT / rate, dt)
        order = (self._sweep_x, self._sweep_y)
        for one in order if self.steps % 2 == 0 else order[::-1]:
            one(dt)
        self.time += dt
        self.steps += 1
        return dt

    def _moving(self) -> tuple[slice, slice]:
        """Rows and columns that sweeps advance: one ghost row too, for `undisturbed`."""
        return slice(GHOSTS, len(self.y) + GHOSTS + 1), slice(GHOSTS, self.active + GHOSTS)

    def _sweep_x(self, dt: float) -> None:
        rows, columns = self._moving()
        water = Water(self.depth[rows], self.along[rows], self.across[rows], self.bed[rows])
        self._fill(water, self.ends[:2], dt)
        sweep(*water, self.dx, dt, columns.start, columns.stop)

    def _sweep_y(self, dt: float) -> None:
        if len(self.y) == 1:
            return
        columns = self._moving()[1]
        fields = self.depth, self.across, self.along, self.bed
        water = Water(*(field[:, columns].T for field in fields))
        self._fill(water, self.ends[2:], dt)
        sweep(*water, self.dy, dt, GHOSTS, len(self.y) + GHOSTS)

    def _fill(self, water: Water, ends: tuple[End, ...], dt: float) -> None:
        middle = self.time + 0.5 * dt
        ends[0](water, middle)
        ends[1](water.turned(), middle)
