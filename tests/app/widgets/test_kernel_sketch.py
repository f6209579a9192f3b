"""The kernel in small: what its three pictures show."""

from __future__ import annotations

import numpy as np

from ucbpe_app.step.kernel_sketch import DRAWS, POINTS, html, sketch
from ucbpe_core import RBF, GaussianProcess, Matern
from ucbpe_core.gp.kernels import Polynomial

X = np.linspace(0, 3, 31)[:, None]
NONE = np.empty((0, 1)), np.empty(0)


def test_k_of_r_is_one_at_zero_and_falls_as_its_formula() -> None:
    drawn = sketch(GaussianProcess(RBF(0.6, variance=2.0), 0.1), X, *NONE)
    assert drawn.profile is not None
    r = np.linspace(0, 3, POINTS)
    np.testing.assert_allclose(drawn.profile[0], np.exp(-(r**2) / (2 * 0.6**2)), atol=1e-12)


def test_a_kernel_of_more_than_the_distance_has_no_k_of_r() -> None:
    drawn = sketch(GaussianProcess(Polynomial(degree=2, offset=1.0), 0.1), X, *NONE)
    assert drawn.profile is None
    assert "k(r)" not in html(drawn)
    assert html(drawn).count("<svg") == 2


def test_draws_are_those_of_prior_and_posterior_in_prior_deviations() -> None:
    gp = GaussianProcess(Matern(nu=1.5, lengthscale=0.8, variance=4.0), 0.01, mean=3.0)
    seen, y = X[[3, 11, 20]], np.array([3.5, 5.0, 1.0])
    drawn = sketch(gp, X, seen, y)
    line = np.linspace(0, 3, POINTS)[:, None]
    np.testing.assert_allclose(2 * drawn.prior + 3, gp.sample(line, size=DRAWS), atol=1e-12)
    # Near a measurement all draws of the posterior are within its noise, those of the prior not.
    at = int(np.abs(line - seen[1]).argmin())
    assert np.abs(2 * drawn.posterior[:, at] + 3 - 5.0).max() < 0.6
    assert np.abs(2 * drawn.prior[:, at] + 3 - 5.0).max() > 1.0
    np.testing.assert_array_equal(sketch(gp, X, *NONE).posterior, sketch(gp, X, *NONE).prior)
