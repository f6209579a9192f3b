"""Draws by circulant embedding have exactly the covariance they should."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import RBF, Matern
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.kernels.stationary import Stationary
from ucbpe_core.problems.base import regular_grid
from ucbpe_core.problems.draws import _embedding_eigenvalues, stationary_draw

from .reference import covariance
from .strategies import Floats

LINE, PLANE = np.array([[0.0, 1.0]]), np.array([[0.0, 1.0], [-1.0, 2.0]])


class Impulse:
    """Instead of noise: 0 everywhere but at one position."""

    def __init__(self, position: int) -> None:
        self.position, self.size = position, 0

    def standard_normal(self, shape: tuple[int, ...]) -> Floats:
        self.size = int(np.prod(shape))
        noise = np.zeros(self.size)
        noise[self.position] = 1.0
        return noise.reshape(shape)


def exact_covariance(kernel: Stationary, bounds: Floats, resolution: int) -> Floats:
    """A draw is A times standard normal noise; impulses give A column by column."""
    columns, size = [], 1
    while len(columns) < size:
        impulse = Impulse(len(columns))
        columns.append(stationary_draw(kernel, bounds, resolution, impulse))
        size = impulse.size
    A = np.array(columns).T
    return A @ A.T


@pytest.mark.parametrize(
    ("kernel", "bounds", "resolution"),
    [
        (Matern(0.2, nu=0.5), LINE, 9),
        (Matern(0.25, 2.0, nu=3.0), LINE, 12),
        (RBF(0.1, 1.5), LINE, 12),
        (Matern(0.3, nu=1.5), PLANE, 4),
        (RBF((0.1, 0.4)), PLANE, 4),
    ],
    ids=repr,
)
def test_the_covariance_is_exact(kernel: Stationary, bounds: Floats, resolution: int) -> None:
    """Every pair of grid points has covariance k(x_i, x_j), to rounding."""
    X, _ = regular_grid(bounds, resolution)
    computed = exact_covariance(kernel, bounds, resolution)
    np.testing.assert_allclose(computed, covariance(kernel, X, X), atol=1e-10)


@pytest.mark.parametrize("bounds", [LINE, PLANE])
def test_the_eigenvalues_give_the_kernel_back(bounds: Floats) -> None:
    """Their inverse transform, on the box itself, is the covariance with the first point."""
    kernel, resolution, period = Matern(0.1, nu=2.5), 6, 30
    X, shape = regular_grid(bounds, resolution)
    steps = np.diff(bounds, axis=1)[:, 0] / (resolution - 1)
    row = np.fft.ifftn(_embedding_eigenvalues(kernel, steps, period))
    np.testing.assert_allclose(row.imag, 0, atol=1e-15)
    box = row.real[(slice(resolution),) * len(shape)].ravel()
    np.testing.assert_allclose(box, covariance(kernel, X, X[:1])[:, 0], atol=1e-14)


def test_the_covariance_of_many_draws() -> None:
    """5000 draws, within five standard errors."""
    kernel, rng = Matern(0.3, 2.0, nu=1.5), np.random.default_rng(0)
    draws = np.array([stationary_draw(kernel, LINE, 6, rng) for _ in range(5000)])
    X, _ = regular_grid(LINE, 6)
    np.testing.assert_allclose(draws.mean(axis=0), 0, atol=5 * np.sqrt(2 / 5000))
    expected = covariance(kernel, X, X)
    np.testing.assert_allclose(np.cov(draws.T), expected, atol=5 * 2 * np.sqrt(2 / 5000))


def test_a_generator_settles_a_draw() -> None:
    """The same seed gives the same draw."""
    one, again, other = (
        stationary_draw(Matern(0.1), PLANE, 8, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    assert one.shape == (64,)


def test_a_fine_line_is_no_trouble() -> None:
    """In one dimension a long period costs little, so fine grids and long lengthscales work."""
    rng = np.random.default_rng(0)
    assert stationary_draw(Matern(0.25, nu=3.0), LINE, 5000, rng).shape == (5000,)
    assert stationary_draw(Matern(5.0, nu=2.5), LINE, 101, rng).shape == (101,)


def test_far_beyond_the_domain() -> None:
    """A lengthscale that no period can hold is refused, with a remedy."""
    with pytest.raises(IllConditionedError, match="shorten the lengthscale"):
        stationary_draw(RBF(50.0), PLANE, 20, np.random.default_rng(0))
