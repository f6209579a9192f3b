"""Values and gradients of mean and standard deviation at any point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import examples
from tests.core.strategies import Instance, instances, unit_points
from ucbpe_core import RBF, GaussianProcess, Matern, Posterior
from ucbpe_core.box import Integer, Real, Space
from ucbpe_core.box.acquisition import (
    Acquisition,
    Improvement,
    PenalizedBound,
    Score,
)


@examples(80)
@given(instances(dimension=3), st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, -3.0), (-0.5, 2.0)]))
def test_gradients_equal_finite_differences(case: Instance, mix: tuple[float, float]) -> None:
    d, step = case.candidates.shape[1], 1e-5
    box = np.stack([np.full(d, -0.5), np.linspace(0.7, 1.1, d)], axis=1)
    acquisition = Acquisition(case.posterior.conditioned(), Space.of(box), *mix)
    u = np.clip(unit_points(case.rng, 1, d)[0], 2 * step, 1 - 2 * step)
    value, gradient = acquisition.value_and_gradient(u)
    assert value == pytest.approx(acquisition.values(u[None])[0], rel=1e-9, abs=1e-9)
    moves = step * np.eye(d)
    expected = (acquisition.values(u + moves) - acquisition.values(u - moves)) / (2 * step)
    level = 1e-4 * (1 + np.abs(expected).max())
    np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=level)


def test_where_nothing_is_uncertain_the_slope_is_finite() -> None:
    """At a point measured without noise the deviation has a kink."""
    process = GaussianProcess(RBF(0.3), 0.0).condition([[0.2], [0.6]], [1.0, 2.0])
    box = Space.of([(0.0, 1.0)])
    value, gradient = Acquisition(process, box, 0.0, 1.0).value_and_gradient(np.array([0.2]))
    assert value < 1.1e-5  # the noise floor: 1e-10 of the prior variance
    assert np.isfinite(gradient).all()


def example() -> tuple[Posterior, Space]:
    space = Space.of({"a": (0.0, 2.0), "n": Integer(0, 3), "b": Real(0.1, 10, log=True)})
    gp = GaussianProcess(Matern((0.8, 2.0, 0.7), nu=2.5), 0.01)
    X = space.place(np.random.default_rng(0).random((6, 3)))
    return Posterior.prior(gp, X).observe(range(6), np.sin(X).sum(axis=1)), space


def scores() -> list[Score]:
    posterior, space = example()
    process, centres = posterior.conditioned(), space.place(np.full((2, 3), [[0.3], [0.8]]))
    at = process.predict(centres)
    penalised = PenalizedBound(process, space, 2.0, 1.0, 1.5, 0.4, centres, at.mean, at.std)
    return [Acquisition(process, space, 1.0, 2.0), Improvement(process, space, 0.3), penalised]


@pytest.mark.parametrize("i", range(3))
def test_a_snapped_input_is_evaluated_where_it_is_set(i: int) -> None:
    """Its slope is 0, and the slopes of the others are those at the setting."""
    score, u, space = scores()[i], np.array([0.45, 0.4, 0.6]), example()[1]
    moved = np.array([[0.45, 0.26, 0.6], [0.45, 1 / 3, 0.6]])
    assert len(set(score.values(np.concatenate([u[None], moved])).tolist())) == 1
    value, gradient = score.value_and_gradient(u)
    assert value == pytest.approx(score.values(space.snap(u[None]))[0], rel=1e-12)
    steps = 1e-4 * np.eye(3)
    expected = (score.values(u + steps) - score.values(u - steps)) / 2e-4
    assert gradient[1] == expected[1] == 0.0
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-6)
