import numpy as np
import pytest

from tests.tools.tsunami import exact
from tools.tsunami.basin import Basin, Incoming, wall
from tools.tsunami.grid import Resolution
from tools.tsunami.kernel import GRAVITY
from tools.tsunami.scene import Design
from tools.tsunami.simulate import scene

NARROW = np.array([0.0, 1.0])  # one row: the flow of one dimension


def middles(edges):
    return 0.5 * (edges[1:] + edges[:-1])


def run(basin, until):
    while basin.time < until:
        basin.advance(until)


def inner(basin, name="depth"):
    return getattr(basin, name)[basin.inner]


def observed_orders(errors):
    return np.log2(np.divide(errors[:-1], errors[1:]))


def uneven(rng, length, count):
    """Edges of cells that differ in width by up to a factor of two."""
    widths = rng.uniform(1, 2, count)
    return np.concatenate([[0.0], np.cumsum(widths)]) * length / widths.sum()


@pytest.fixture
def rng():
    return np.random.default_rng(0)


class TestAtRest:
    @pytest.mark.slow
    def test_lake_over_rough_ground_and_uneven_cells(self, rng):
        x, y = uneven(rng, 3000.0, 90), uneven(rng, 2000.0, 60)
        cone = np.maximum(0.0, 70.0 - 0.1 * np.hypot(x[1:] - 1500, y[1:, None] - 1000))
        basin = Basin(x, y, rng.normal(-20.0, 3.0, (60, 90)) + cone)
        for _ in range(1000):
            basin.advance(np.inf)
        assert (inner(basin) == 0).any()
        assert np.abs(basin.along).max() < 1e-10
        assert np.abs(basin.across).max() < 1e-10


class TestDamBreak:
    @pytest.mark.parametrize(
        ("right", "solution"),
        [
            (1.0, lambda speed: exact.stoker(4.0, 1.0, speed)),
            (0.0, lambda speed: exact.ritter(4.0, speed)),
        ],
        ids=["Stoker", "Ritter"],
    )
    def test_error_falls_in_proportion_to_the_cells(self, right, solution):
        errors = []
        for count in (200, 400, 800):
            x = np.linspace(-60.0, 60.0, count + 1)
            surface = np.where(middles(x) < 0, 4.0, right)[None]
            basin = Basin(x, NARROW, np.zeros((1, count)), surface)
            run(basin, 3.0)
            errors.append(np.abs(inner(basin)[0] - solution(middles(x) / 3.0)).mean())
        # Order 1 is the most that a shock, or the corner of a rarefaction, allows in this norm.
        assert observed_orders(errors).min() > 0.9
        assert errors[-1] < 0.005


def test_second_order_where_the_flow_is_smooth():
    def shape(x):
        return 0.2 * np.exp(-((x / 5.0) ** 2))

    def simple_wave(x, time):
        """u - 2c as in still water: each elevation keeps its own speed 3c - 2c0."""
        c0 = np.sqrt(GRAVITY)
        start = x.copy()
        for _ in range(100):
            start = x - time * (3 * np.sqrt(GRAVITY * (1 + shape(start))) - 2 * c0)
        return 1 + shape(start)

    errors = []
    for count in (400, 800, 1600):
        x = np.linspace(-30.0, 30.0, count + 1)
        depth = 1 + shape(middles(x))
        basin = Basin(x, NARROW, np.full((1, count), -1.0), (depth - 1)[None])
        basin.along[2, 2:-2] = depth * 2 * (np.sqrt(GRAVITY * depth) - np.sqrt(GRAVITY))
        run(basin, 3.0)
        errors.append(np.abs(inner(basin)[0] - simple_wave(middles(x), 3.0)).mean())
    assert observed_orders(errors).min() > 1.8


class TestThacker:
    """Water with a moving shoreline in a bowl; lengths in m, two periods."""

    depth, reach = 1.0, 10.0

    def test_paraboloid_that_heaves_in_a_quarter_of_the_bowl(self):
        errors = []
        for count in (25, 50, 100):
            edges = np.linspace(0.0, 16.0, count + 1)
            radius = np.hypot(*np.meshgrid(middles(edges), middles(edges)))
            bed = exact.bowl(radius, self.depth, self.reach)
            known = {"depth": self.depth, "reach": self.reach, "swing": 0.3}
            basin = Basin(edges, edges, bed, exact.thacker_heaving(radius, 0.0, **known))
            period = 2 * np.pi * self.reach / np.sqrt(8 * GRAVITY * self.depth)
            run(basin, 1.5 * period)
            surface = exact.thacker_heaving(radius, basin.time, **known)
            errors.append(np.abs(inner(basin) - np.maximum(0, surface - bed)).mean())
        np.testing.assert_allclose(inner(basin), inner(basin).T, atol=0.01)
        assert observed_orders(errors).min() > 1.2
        assert errors[-1] < 0.002


class TestVolume:
    @pytest.fixture
    def splashing(self, rng):
        """A dam that breaks into a dry basin with rough ground, islands and uneven cells."""
        x, y = uneven(rng, 100.0, 80), uneven(rng, 60.0, 50)
        bed = rng.uniform(0.0, 3.0, (50, 80))
        bed[:, 40:] += 0.2 * np.hypot(x[41:] - 75, y[1:, None] - 30)
        return Basin(x, y, bed, np.where(middles(x) < 30, 8.0, 0.0)[None] * np.ones((50, 1)))

    def test_closed_basin_keeps_its_water(self, splashing):
        before = splashing.volume
        run(splashing, 30.0)
        assert splashing.steps > 500
        assert splashing.volume == pytest.approx(before, rel=1e-12)

    def test_depth_is_not_negative_even_with_steps_too_long(self, splashing, monkeypatch):
        monkeypatch.setattr("tools.tsunami.basin.COURANT", 2.5)
        before = splashing.volume
        for _ in range(30):
            splashing.advance(np.inf)
            assert inner(splashing).min() >= 0
        assert splashing.volume == pytest.approx(before, rel=1e-12)


class TestEnds:
    def test_a_wave_enters_at_its_height_and_leaves_again(self):
        x = np.linspace(0.0, 2000.0, 1001)

        def elevation(time):
            return 0.5 / np.cosh(0.2 * time - 5) ** 2

        ends = (Incoming(elevation), wall, wall, wall)
        basin = Basin(x, NARROW, np.full((1, 1000), -20.0), ends=ends)
        surface = inner(basin)[0]
        highest = 0.0
        while basin.time < 140.0:
            basin.advance(140.0)
            highest = max(highest, surface[500] - 20)
        assert highest == pytest.approx(0.5, rel=0.01)
        assert surface[-200:].max() > 20.4  # on its way to the wall
        run(basin, 350.0)
        assert np.abs(surface - 20).max() < 2e-3

    def test_beside_a_beach_without_island_all_rows_are_the_undisturbed_one(self):
        design = Design(0.2, 0.2, 0.0, 100.0, 0.1)
        basin = scene(design, Resolution().finer(0.5))
        basin.bed[:, 2:-2] = design.coast(basin.x)
        basin.depth[:] = np.maximum(0, -basin.bed)
        run(basin, design.start + 60)
        rows = basin.depth[2 : len(basin.y) + 3]
        assert np.ptp(rows, axis=0).max() < 1e-9
        assert np.ptp(rows[0, 2:-2] + np.minimum(basin.bed[2, 2:-2], 0)) > 0.5
