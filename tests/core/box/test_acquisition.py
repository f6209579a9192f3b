"""Values and gradients of mean and standard deviation at any point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import examples
from tests.core.strategies import Instance, instances, unit_points
from ucbpe_core.box.acquisition import Acquisition


@examples(80)
@given(instances(dimension=3), st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, -3.0), (-0.5, 2.0)]))
def test_gradients_equal_finite_differences(case: Instance, mix: tuple[float, float]) -> None:
    d, step = case.candidates.shape[1], 1e-5
    box = np.stack([np.full(d, -0.5), np.linspace(0.7, 1.1, d)], axis=1)
    acquisition = Acquisition(case.posterior.conditioned(), box, *mix)
    u = unit_points(case.rng, 1, d)[0]
    value, gradient = acquisition.value_and_gradient(u)
    assert value == pytest.approx(acquisition.values(u[None])[0], rel=1e-9, abs=1e-9)
    moves = step * np.eye(d)
    expected = (acquisition.values(u + moves) - acquisition.values(u - moves)) / (2 * step)
    level = 1e-4 * (1 + np.abs(expected).max())
    np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=level)


def test_where_nothing_is_uncertain_the_slope_is_finite() -> None:
    """At a point measured without noise the deviation has a kink."""
    from ucbpe_core import RBF, GaussianProcess

    process = GaussianProcess(RBF(0.3), 0.0).condition([[0.2], [0.6]], [1.0, 2.0])
    box = np.array([[0.0, 1.0]])
    value, gradient = Acquisition(process, box, 0.0, 1.0).value_and_gradient(np.array([0.2]))
    assert value < 1.1e-5  # the noise floor: 1e-10 of the prior variance
    assert np.isfinite(gradient).all()
