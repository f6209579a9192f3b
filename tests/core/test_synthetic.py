"""Draws by circulant embedding have exactly the covariance they should."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import RBF, Matern
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.gp.kernels.stationary import Stationary
from ucbpe_core.problems import synthetic
from ucbpe_core.problems.base import regular_grid
from ucbpe_core.problems.synthetic import stationary_draw

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


def test_a_fine_line_is_no_trouble() -> None:
    """In one dimension a long period costs little, so fine grids and long lengthscales work."""
    rng = np.random.default_rng(0)
    assert stationary_draw(Matern(0.25, nu=3.0), LINE, 5000, rng).shape == (5000,)
    assert stationary_draw(Matern(5.0, nu=2.5), LINE, 101, rng).shape == (101,)


def test_far_beyond_the_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lengthscale that no period can hold is refused, with a remedy."""
    monkeypatch.setattr(synthetic, "_LARGEST_EMBEDDING", 2**16)  # the usual one takes seconds
    with pytest.raises(IllConditionedError, match="shorten the lengthscale"):
        stationary_draw(RBF(50.0), PLANE, 20, np.random.default_rng(0))
