"""Two dimensions against theory: long waves around a cone, without a beach."""

import numpy as np
import pytest

from tests.tools.tsunami import exact
from tools.tsunami.basin import Basin, Incoming, undisturbed, wall

DEPTH, SLOPE, CREST, OMEGA, HEIGHT = 100.0, 0.1, 100.0, 0.04, 0.01
WEST, EAST, NORTH = -3500.0, 5500.0, 4000.0
POINTS = [(1500.0, 0.0), (2000.0, 0.0), (2000.0, np.pi / 2), (2000.0, np.pi)]
SPEED = np.sqrt(exact.GRAVITY * DEPTH)


def pulse(time):
    return HEIGHT / np.cosh(OMEGA * np.clip(time, -1e4, 1e4)) ** 2


@pytest.fixture(scope="module")
def theory():
    known = {"depth": DEPTH, "slope": SLOPE, "crest": CREST}
    return exact.around_island(pulse, 1200.0, POINTS, **known, modes=16, frequencies=50)


def solved(width):
    """Times from when the wave would be above the crest, and surfaces at the points."""
    x = np.arange(WEST, EAST + 1, width)
    y = np.arange(0.0, NORTH + 1, width)
    middle_x, middle_y = 0.5 * (x[1:] + x[:-1]), 0.5 * (y[1:] + y[:-1])[:, None]
    bed = -DEPTH + np.maximum(0, (DEPTH + CREST) - SLOPE * np.hypot(middle_x, middle_y))
    start = WEST / SPEED - 5 / OMEGA
    incoming = Incoming(lambda time: pulse(time + start - WEST / SPEED))
    basin = Basin(x, y, bed, ends=(incoming, wall, wall, undisturbed))
    basin.bed[-2:, 2:-2] = -DEPTH
    cells = [
        (2 + np.abs(basin.y - r * np.sin(a)).argmin(), 2 + np.abs(basin.x - r * np.cos(a)).argmin())
        for r, a in POINTS
    ]
    times, surfaces = [], []
    while basin.time + start < 150.0:
        basin.advance(np.inf)
        times.append(basin.time + start)
        surfaces.append([basin.depth[cell] + basin.bed[cell] for cell in cells])
    return np.array(times), np.array(surfaces).T


@pytest.mark.slow
def test_waves_behind_beside_and_before_the_island_are_those_of_linear_theory(theory):
    theory_times, theory_surfaces = theory
    misfits = []
    for width in (50.0, 25.0):
        times, surfaces = solved(width)
        expected = np.array([np.interp(times, theory_times, row) for row in theory_surfaces])
        misfits.append(np.sqrt(((surfaces - expected) ** 2).mean(1) / (expected**2).mean(1)))
    np.testing.assert_allclose(surfaces.max(1), expected.max(1), rtol=0.02)
    assert misfits[1].max() < 0.06
    assert (misfits[0] / misfits[1]).min() > 1.25  # least before the island, a staircase of cells
