"""sqrt(beta_t) over the batches: the formulas of the schedules, and the picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.app.pictures.golden import check
from ucbpe_app.pictures.chart import betas
from ucbpe_app.pictures.picture import Picture
from ucbpe_app.run.prior import Betas, betas_of
from ucbpe_app.run.settings import RunSpec

SPEC = RunSpec(batches=5, scale=0.2, lengthscale=0.5, variance=2.0)
T = np.arange(1, 6)
SIZE, SIDE = 481, 4.8  # of the problem: candidates of one input, over an interval of this length


def finite(delta: float) -> Any:
    return np.sqrt(0.2 * 2 * np.log(SIZE * T**2 * np.pi**2 / (6 * delta)))


def compact(delta: float) -> Any:
    slope = 2 * np.sqrt(2.0) / 0.5
    inside = T**2 * slope * SIDE * np.sqrt(np.log(4 * 10 / delta))
    return np.sqrt(0.2 * (2 * np.log(2 * T**2 * np.pi**2 / (3 * delta)) + 2 * np.log(inside)))


def of(**changes: Any) -> Betas:
    spec = replace(SPEC, **changes)
    return betas_of(spec, spec.simulate())


def test_curves_are_the_formulas_of_the_schedules() -> None:
    given = of()
    np.testing.assert_allclose(given.used, finite(0.1))
    np.testing.assert_allclose(given.others["Compact cube"], compact(0.1))
    np.testing.assert_allclose(given.others["Constant"], np.sqrt(0.2 * 4.0))
    assert given.deltas is not None
    (low, wide), (high, narrow) = given.deltas
    assert (low, high) == (pytest.approx(0.01), 0.99)
    np.testing.assert_allclose(wide, finite(0.01))
    np.testing.assert_allclose(narrow, finite(0.99))
    np.testing.assert_allclose(of(schedule="Compact cube").used, compact(0.1))


def test_a_policy_that_widens_its_band_widens_all_curves() -> None:
    given, wider = of(), of(policy="GP-BUCB")
    factor = wider.used / given.used
    assert np.ptp(factor) < 1e-12 < factor[0] - 1
    for name, y in given.others.items():
        np.testing.assert_allclose(wider.others[name], factor * y)


def test_a_schedule_without_delta_and_one_of_the_picks_have_no_tint() -> None:
    assert of(schedule="Constant").deltas is None
    gained = of(schedule="Information gain")
    assert gained.deltas is None
    assert set(gained.others) == {"Finite set", "Compact cube", "Constant"}
    assert (np.diff(gained.used) > 0).all()


def test_golden() -> None:
    drawn: dict[str, Picture] = {
        "finite": betas(of(), 2),
        "constant": betas(of(schedule="Constant")),
    }
    check("betas", drawn)
