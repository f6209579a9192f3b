"""Where the water ends on a beach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.tsunami.kernel import jit

if TYPE_CHECKING:
    from tools.tsunami.kernel import Floats

FILM = 1e-2  # m; ground under less water than this counts as dry


@jit
def raise_run_up(depth: Floats, bed: Floats, first: int, run_up: Floats) -> None:
    """Raise the run-up of each line to the level at its shoreline now, where that is higher.

    The level is that of the surface in the last cell with more than 1 cm of water. A long wave's
    surface is all but level there, so that cells much wider than its run-up is exact do no harm;
    the tongue of a broken one is thin, and its level that of the ground to within a cell.

    Parameters
    ----------
    depth, bed : along lines that end on land, shape (lines, cells), m
    first : the first cell on land
    run_up : the highest so far, shape (lines,), m
    """
    for line in range(depth.shape[0]):
        k = depth.shape[1] - 1
        while k >= first and depth[line, k] <= FILM:
            k -= 1
        if k >= first:
            run_up[line] = max(run_up[line], depth[line, k] + bed[line, k])
