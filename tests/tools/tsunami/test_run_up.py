from dataclasses import replace

import numpy as np
import pytest

from tests.tools.tsunami import exact
from tools.tsunami.basin import Basin, Incoming, wall
from tools.tsunami.grid import Resolution, edges
from tools.tsunami.scene import Design
from tools.tsunami.shoreline import raise_run_up
from tools.tsunami.simulate import simulate

NARROW = np.array([0.0, 1.0])


def run_up(x, bed, elevation, until):
    basin = Basin(x, NARROW, bed[None], ends=(Incoming(elevation), wall, wall, wall))
    found = np.zeros(1)
    first = 2 + int(np.searchsorted(basin.x, 0.0))
    while basin.time < until:
        basin.advance(until)
        raise_run_up(basin.depth[2:3], basin.bed[2:3], first, found)
    return float(found[0])


@pytest.mark.parametrize(
    "design",
    [
        Design(0.1, 0.1, 0.0, 500.0, 0.02),
        Design(0.1, 0.2, 0.0, 800.0, 0.06),
        Design(0.1, 0.05, 0.0, 1000.0, 0.01),
        Design(0.1, 0.2, 0.0, 300.0, 0.002),
    ],
    ids=str,
)
def test_waves_of_the_box_that_do_not_break_climb_as_linear_theory_says(design):
    x, _ = edges(design, Resolution())
    x = x[x > design.toe - 0.5 * design.reach]
    bed = design.coast(0.5 * (x[1:] + x[:-1]))
    away = (design.toe - x[0]) / design.speed + design.climb(design.beach_slope)
    found = run_up(x, bed, design.elevation, design.start + away + 4 / design.omega)
    duration = 60 / design.omega + 30 * design.climb(design.beach_slope)

    def centred(time):
        return design.elevation(time + design.start)

    expected = exact.beach_run_up(np.vectorize(centred), duration, design.depth, design.beach_slope)
    assert found == pytest.approx(expected, rel=0.01)


def test_lateral_run_up_is_that_of_the_beach_alone():
    design = Design(0.2, 0.2, 300.0, 100.0, 0.05)
    found = simulate(design)
    x, _ = edges(design, Resolution())
    bed = design.coast(0.5 * (x[1:] + x[:-1]))
    alone = run_up(x, bed, design.elevation, 400.0)
    assert found.lateral == pytest.approx(alone, rel=2e-3)
    assert found.shore[0] == found.behind
    assert found.amplification == found.behind / found.lateral
    assert len(found.y) == len(found.shore)


def test_a_longer_run_and_wider_margins_change_nothing(monkeypatch):
    design = Design(0.15, 0.2, 500.0, 150.0, 0.02)
    coarse = Resolution().finer(0.6)
    usual = simulate(design, coarse)
    wider = simulate(design, replace(coarse, margin=2.0))
    monkeypatch.setattr("tools.tsunami.simulate._AFTER", 12.0)
    longer = simulate(design, coarse)
    assert longer.behind == usual.behind
    assert wider.amplification == pytest.approx(usual.amplification, rel=5e-3)
