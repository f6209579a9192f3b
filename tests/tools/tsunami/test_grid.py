import numpy as np
import pytest

from tools.tsunami.grid import Resolution, edges
from tools.tsunami.kernel import GRAVITY
from tools.tsunami.scene import Design

DESIGN = Design(island_slope=0.1, beach_slope=0.05, distance=1000.0, depth=400.0, omega=0.03)


def test_scene_is_a_cone_on_a_flat_bottom_before_a_plane_beach():
    assert DESIGN.toe == -8000
    assert DESIGN.radius == 5000
    assert DESIGN.centre == -14000
    crest, shore, foot, toe, land = DESIGN.bed(
        np.array([-14000.0, -13000.0, -9000.0, -8000.0, 100.0]), np.zeros(5)
    )
    assert (crest, foot, toe, land) == (100, -400, -400, 5)
    assert shore == pytest.approx(0)
    assert DESIGN.bed(np.array([-14000.0]), np.array([5000.0])) == -400


def test_wave_is_a_pulse_of_height_and_width_as_declared():
    assert DESIGN.elevation(DESIGN.start) == 1.5
    assert DESIGN.elevation(0.0) < 0.0004
    later = DESIGN.start + 1 / 0.03
    assert DESIGN.elevation(later) == pytest.approx(1.5 / np.cosh(1) ** 2)
    assert DESIGN.climb(0.05) == pytest.approx(2 * np.sqrt(400 / GRAVITY) / 0.05)


def test_a_long_wave_crosses_no_cell_under_water_slower_than_the_resolution_says():
    resolution = Resolution()
    x, y = edges(DESIGN, resolution)
    assert (np.diff(x) > 0).all()
    assert 0.0 in x
    middle = 0.5 * (x[1:] + x[:-1])
    sea = middle < -500
    crossing = np.diff(x)[sea] / np.sqrt(-GRAVITY * DESIGN.coast(middle[sea]))
    assert crossing.max() < 1.01 * resolution.seconds(DESIGN)
    beside = y[y < DESIGN.radius]
    np.testing.assert_allclose(np.diff(beside), DESIGN.speed * resolution.seconds(DESIGN))


def test_cells_at_the_shoreline_rise_by_what_the_resolution_says():
    steep = Design(0.1, 0.1, 0.0, 300.0, 0.1)  # close to breaking: no relief
    x, _ = edges(steep, Resolution(rise=0.08))
    shore = int(np.searchsorted(x, 0.0))
    assert (x[shore + 1] - x[shore]) * 0.1 == pytest.approx(0.08)
    gentle = Design(0.1, 0.1, 0.0, 300.0, 0.002)
    x, _ = edges(gentle, Resolution(rise=0.08))
    shore = int(np.searchsorted(x, 0.0))
    assert (x[shore + 1] - x[shore]) * 0.1 == pytest.approx(0.32)
