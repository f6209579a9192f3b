"""One sweep of a finite-volume scheme for the shallow-water equations, along lines of cells.

Along a line the equations are, with depth h, bed b, velocities u along and v across the line,

    h_t + (h u)_x = 0,
    (h u)_t + (h u^2 + g h^2 / 2)_x = -g h b_x,
    (h v)_t + (h u v)_x = 0.

A sweep is a MUSCL-Hancock step: van Leer slopes of surface, depth and velocities; states at the
two ends of each cell half a step on; hydrostatic reconstruction of the depths at a face; HLLC
flux. It is second order where the flow is smooth, keeps a lake at rest, conserves mass, and a
limit on what may leave a cell keeps the depth at or above zero whatever the step.

References
----------
Audusse, Bouchut, Bristeau, Klein and Perthame, SIAM J. Sci. Comput. 25 (2004), for the
reconstruction and its second-order source; Toro, Shock-Capturing Methods for Free-Surface
Shallow Flows, Wiley 2001, for MUSCL-Hancock and HLLC.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Four = tuple[Floats, Floats, Floats, Floats]

GRAVITY = 9.81  # m/s^2
GHOSTS = 2  # cells beyond each end of a line, whose states the caller sets
DRY = 1e-6  # m; a shallower cell is dry ground
THIN = 3e-4  # m; the velocity of a shallower film tends to zero with its depth

jit = njit(cache=True, error_model="numpy", fastmath={"contract"})
# Inlined before it is compiled: the arrays are then known not to overlap, and the loops become
# vector instructions.
inlined = njit(cache=True, error_model="numpy", fastmath={"contract"}, inline="always")


@jit
def sweep(
    depth: Floats,
    along: Floats,
    across: Floats,
    bed: Floats,
    widths: Floats,
    dt: float,
    first: int,
    last: int,
) -> None:
    """Advance the cells [first, last) of every line by dt, in place.

    Parameters
    ----------
    depth, along, across : h and the discharges h u, h v, shape (lines, cells), ghosts included
    bed : b, shape (lines, cells)
    widths : of the cells, shape (cells,)
    dt : s
    first, last : cells to advance; at least `GHOSTS` cells stand beyond each end
    """
    size = last - first + 2 * GHOSTS
    start = first - GHOSTS
    dx = widths[start : start + size]
    per = 2.0 / (dx[:-1] + dx[1:])  # 1 / distance of two centres
    cell = _four(size)  # h, u, v, b
    left, right = _four(size), _four(size)  # the same at the ends of each cell
    flux = _four(size)  # between cells i and i + 1: see `_fluxes`
    share = np.ones(size)
    for line in range(depth.shape[0]):
        _read(depth[line], along[line], across[line], bed[line], start, cell)
        _reconstruct(cell, dx, per, dt, left, right)
        _fluxes(left, right, flux)
        _limit(cell, dx, dt, flux, share)
        _update(cell, left, right, flux, dx, dt)
        for i in range(GHOSTS, size - GHOSTS):
            depth[line, start + i] = cell[0][i]
            along[line, start + i] = cell[1][i]
            across[line, start + i] = cell[2][i]


@inlined
def _four(size: int) -> Four:
    return np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)


@jit
def _per_depth(h: float) -> float:
    """What a discharge is multiplied with to give a velocity: 1 / h, or less in a film.

    Without friction a film would run down a slope at any speed, and the step would follow it.
    """
    deep = max(h, THIN)
    return 2.0 * h / (h * h + deep * deep)


@inlined
def _read(
    depth: Floats, along: Floats, across: Floats, bed: Floats, start: int, cell: Four
) -> None:
    h, u, v, z = cell
    for i in range(len(h)):
        h[i] = depth[start + i]
        inverse = _per_depth(h[i])
        u[i] = along[start + i] * inverse
        v[i] = across[start + i] * inverse
        z[i] = bed[start + i]


@jit
def _increment(
    left: float, middle: float, right: float, per_left: float, per_right: float, width: float
) -> float:
    """Change over half a cell: van Leer's slope, no end value beyond a neighbour's mean."""
    below, above = middle - left, right - middle
    down, up = below * per_left, above * per_right
    product = down * up
    slope = 2.0 * product / (down + up) if product > 0.0 else 0.0
    change = 0.5 * width * slope
    bound = min(abs(below), abs(above))
    return max(-bound, min(bound, change))


@inlined
def _reconstruct(cell: Four, dx: Floats, per: Floats, dt: float, left: Four, right: Four) -> None:
    """States at the two ends of each cell, half a step on."""
    h, u, v, z = cell
    hl, ul, vl, zl = left
    hr, ur, vr, zr = right
    for i in range(1, len(h) - 1):
        eta = h[i] + z[i]
        # Dry ground above the water is no surface: a slope drawn from it would let round-off grow
        # along a rough shoreline.
        before, beyond = h[i - 1] + z[i - 1], h[i + 1] + z[i + 1]
        before = min(before, eta) if h[i - 1] <= DRY else before
        beyond = min(beyond, eta) if h[i + 1] <= DRY else beyond
        d_eta = _increment(before, eta, beyond, per[i - 1], per[i], dx[i])
        d_h = _increment(h[i - 1], h[i], h[i + 1], per[i - 1], per[i], dx[i])
        d_u = _increment(u[i - 1], u[i], u[i + 1], per[i - 1], per[i], dx[i])
        d_v = _increment(v[i - 1], v[i], v[i + 1], per[i - 1], per[i], dx[i])
        zl[i] = (eta - d_eta) - (h[i] - d_h)
        zr[i] = (eta + d_eta) - (h[i] + d_h)
        rate = dt / dx[i]
        half_h = -rate * (u[i] * d_h + h[i] * d_u)
        half_u = -rate * (u[i] * d_u + GRAVITY * d_eta)
        half_v = -rate * u[i] * d_v
        hl[i] = max(0.0, h[i] - d_h + half_h)
        hr[i] = max(0.0, h[i] + d_h + half_h)
        ul[i] = u[i] - d_u + half_u
        ur[i] = u[i] + d_u + half_u
        vl[i] = v[i] - d_v + half_v
        vr[i] = v[i] + d_v + half_v


@inlined
def _fluxes(left: Four, right: Four, flux: Four) -> None:
    """HLLC between cells i and i + 1: of mass, of h u as each of them has it, of h v.

    The two fluxes of h u differ by the pressure on the step of the bed between the cells.
    """
    hl, ul, vl, zl = left
    hr, ur, vr, zr = right
    mass, push_before, push_beyond, shear = flux
    for i in range(1, len(mass) - 2):
        top = max(zr[i], zl[i + 1])
        h0 = max(0.0, hr[i] + zr[i] - top)
        h1 = max(0.0, hl[i + 1] + zl[i + 1] - top)
        u0, u1 = ur[i], ul[i + 1]
        c0, c1 = sqrt(GRAVITY * h0), sqrt(GRAVITY * h1)
        # The exact speeds beside dry ground; else no slower than those of the state between two
        # rarefactions (Toro, section 10.5).
        c = 0.5 * (c0 + c1) + 0.25 * (u0 - u1)
        u = 0.5 * (u0 + u1) + c0 - c1
        slow = min(0.0, min(u0 - c0, u - c) if h0 > 0.0 else u1 - 2.0 * c1)
        fast = max(0.0, max(u1 + c1, u + c) if h1 > 0.0 else u0 + 2.0 * c0)
        q0, q1 = h0 * u0, h1 * u1
        p0, p1 = 0.5 * GRAVITY * h0 * h0, 0.5 * GRAVITY * h1 * h1
        inverse = 1.0 / max(fast - slow, 1e-12)  # 0 where both sides are dry
        mass[i] = (fast * q0 - slow * q1 + slow * fast * (h1 - h0)) * inverse
        push = fast * (q0 * u0 + p0) - slow * (q1 * u1 + p1) + slow * fast * (q1 - q0)
        push_before[i] = push * inverse + 0.5 * GRAVITY * hr[i] * hr[i] - p0
        push_beyond[i] = push * inverse + 0.5 * GRAVITY * hl[i + 1] * hl[i + 1] - p1
        shear[i] = mass[i] * (vr[i] if mass[i] > 0.0 else vl[i + 1])


@inlined
def _limit(cell: Four, dx: Floats, dt: float, flux: Four, share: Floats) -> None:
    """Let no cell lose more water than it holds."""
    h, mass, shear = cell[0], flux[0], flux[3]
    for i in range(2, len(h) - 2):
        leaving = dt * (max(mass[i], 0.0) - min(mass[i - 1], 0.0))
        held = h[i] * dx[i]
        share[i] = held / leaving if leaving > held else 1.0
    for i in range(1, len(h) - 2):
        part = share[i] if mass[i] > 0.0 else share[i + 1]
        mass[i] *= part
        shear[i] *= part


@inlined
def _update(cell: Four, left: Four, right: Four, flux: Four, dx: Floats, dt: float) -> None:
    """Turn h, u, v into h, h u, h v a step later."""
    h, u, v = cell[0], cell[1], cell[2]
    hl, zl, hr, zr = left[0], left[3], right[0], right[3]
    mass, push_before, push_beyond, shear = flux
    for i in range(2, len(h) - 2):
        rate = dt / dx[i]
        new = max(0.0, h[i] - rate * (mass[i] - mass[i - 1]))
        source = 0.5 * GRAVITY * (hl[i] + hr[i]) * (zl[i] - zr[i])
        wet = new > DRY
        q = h[i] * u[i] - rate * (push_before[i] - push_beyond[i - 1] - source)
        p = h[i] * v[i] - rate * (shear[i] - shear[i - 1])
        h[i] = new
        u[i] = q if wet else 0.0
        v[i] = p if wet else 0.0


@jit
def fastest(
    depth: Floats,
    along: Floats,
    across: Floats,
    widths: Floats,
    heights: Floats,
    rows: tuple[int, int],
    columns: tuple[int, int],
) -> float:
    """The largest (speed of a wave / width of its cell), 1/s, over the given cells.

    Parameters
    ----------
    depth, along, across : as for `sweep`
    widths, heights : of the cells along and across the lines
    rows, columns : (first, last) of the lines and of the cells on each
    """
    found = 0.0
    for line in range(rows[0], rows[1]):
        row = 0.0
        per = 1.0 / heights[line]
        for k in range(columns[0], columns[1]):
            h = depth[line, k]
            inverse = _per_depth(h)
            c = sqrt(GRAVITY * h)
            x = (abs(along[line, k]) * inverse + c) / widths[k]
            y = (abs(across[line, k]) * inverse + c) * per
            row = max(row, x, y)
        found = max(found, row)
    return found
