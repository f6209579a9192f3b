"""Gradients of weighted kernels, against differences of the kernels' own definitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import RBF, Kernel, Matern
from ucbpe_core.kernels.gradient import weighted_gradient

from .reference import Floats, covariance, examples
from .strategies import SMOOTHNESS, kernels, seeds, unit_points


def by_differences(kernel: Kernel, X: Floats, Z: Floats, weights: Floats, step: float) -> Floats:
    """Central differences of sum over i of weights_ij k(x_i, z_j)."""
    gradient = np.empty_like(Z)
    for axis, move in enumerate(step * np.eye(Z.shape[1])):
        change = covariance(kernel, X, Z + move) - covariance(kernel, X, Z - move)
        gradient[:, axis] = (weights * change).sum(axis=0) / (2 * step)
    return gradient


@examples(200)
@given(st.integers(1, 4).flatmap(lambda d: st.tuples(st.just(d), kernels(d))), seeds)
def test_gradient_against_differences(drawn: tuple[int, Kernel], seed: int) -> None:
    """Any kernel, sums and products; points apart, as rough kernels bend sharply near x = z."""
    (d, kernel), rng = drawn, np.random.default_rng(seed)
    X, Z = unit_points(rng, 7, d) - 1.5, unit_points(rng, 5, d) + 1.5
    weights = rng.standard_normal((7, 5))
    gradient = weighted_gradient(kernel, X, Z, weights)
    assert gradient.shape == (5, d)
    expected = by_differences(kernel, X, Z, weights, 1e-5)
    scale = np.abs(covariance(kernel, Z, Z)).max()
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7 * scale)


@pytest.mark.parametrize("nu", [*SMOOTHNESS, None])
def test_a_point_upon_itself_is_flat(nu: float | None) -> None:
    """At x = z every stationary kernel has slope 0, or a kink whose sides average to 0."""
    kernel = RBF(0.4) if nu is None else Matern((0.4, 0.9), nu=nu)
    X = np.array([[0.3, -0.2], [1e-170, 0.0], [0.0, 0.0]])
    own = weighted_gradient(kernel, X[:1], X[:1], np.ones((1, 1)))
    np.testing.assert_array_equal(own, np.zeros((1, 2)))
    assert np.isfinite(weighted_gradient(kernel, X, X, np.ones((3, 3)))).all()


def test_the_slope_of_a_kink() -> None:
    """exp(-r / l) falls by 1 / l per unit of distance, however close."""
    for distance in (1e-9, 1e-3, 0.5):
        slope = weighted_gradient(
            Matern(0.25, nu=0.5), np.zeros((1, 1)), np.array([[distance]]), np.ones((1, 1))
        )
        assert slope[0, 0] == pytest.approx(-4 * np.exp(-4 * distance), rel=1e-7)


@dataclass(frozen=True)
class Foreign(Kernel):
    """A kernel that the package does not know: only `cross` is of use."""

    inner: Kernel

    def cross(self, X: Floats, Z: Floats) -> Floats:
        return self.inner.evaluate(X, Z)

    def diagonal(self, X: Floats) -> Floats:
        return self.inner.diagonal(X)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return self.inner.parameter_names

    @property
    def log_parameters(self) -> Floats:
        return self.inner.log_parameters

    def with_log_parameters(self, theta: Floats) -> Kernel:
        return Foreign(self.inner.with_log_parameters(theta))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
def test_unknown_kernels_are_differenced(unit: float) -> None:
    """In any unit of x, also within a sum, as the formula would have it."""
    rng = np.random.default_rng(5)
    X, Z = unit * rng.normal(size=(6, 3)), unit * rng.normal(size=(4, 3))
    weights = rng.normal(size=(6, 4))
    known = Matern(unit, nu=2.5)
    expected = weighted_gradient(known, X, Z, weights)
    for kernel, share in ((Foreign(known), 1.0), (Foreign(known) + known, 2.0)):
        gradient = weighted_gradient(kernel, X, Z, weights)
        np.testing.assert_allclose(gradient, share * expected, atol=1e-7 / unit)
